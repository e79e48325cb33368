// Judges every .glb of a folder with Khronos' validator (npm install gltf-validator) and fails on
// any error or warning: node validate-glb.cjs FOLDER
const fs = require('fs');
const path = require('path');
const { createRequire } = require('module');
// Found from the folder it is run in, so that no package needs to live in this repository.
const validator = createRequire(path.join(process.cwd(), 'validate.js'))('gltf-validator');

async function main(folder) {
    let bad = 0;
    const files = fs.readdirSync(folder).filter((name) => name.endsWith('.glb')).sort();
    for (const name of files) {
        const bytes = new Uint8Array(fs.readFileSync(path.join(folder, name)));
        const { issues, info } = await validator.validateBytes(bytes);
        const { numErrors, numWarnings, numInfos, numHints } = issues;
        console.log(`${name}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos, ` +
            `${numHints} hints; ${info.totalVertexCount} vertices, ${info.totalTriangleCount} triangles, ` +
            `${info.animationCount} animations`);
        for (const issue of issues.messages.slice(0, 10)) {
            console.log(`  ${issue.code} at ${issue.pointer}: ${issue.message}`);
        }
        bad += numErrors + numWarnings;
    }
    if (files.length === 0 || bad > 0) {
        console.error(files.length === 0 ? `no .glb in ${folder}` : `${bad} errors and warnings`);
        process.exitCode = 1;
    }
}

main(process.argv[2] ?? '.');
