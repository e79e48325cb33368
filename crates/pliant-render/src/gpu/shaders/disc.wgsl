// Small balls of even size: discs, cut out sample by sample.

#import render::frame
#import render::light
#import render::sample_at
#import render::shown

const BALL_BIAS: f32 = 4e-3;

struct Place {
    @builtin(position) clip: vec4<f32>,
    /// Middle and radius [pixels].
    @location(0) @interpolate(flat) disc: vec3<f32>,
    @location(1) @interpolate(flat) colour: vec3<f32>,
}

struct Shown {
    @location(0) colour: vec4<f32>,
    @builtin(sample_mask) samples: u32,
}

/// One of the four corners of a square round a ball.
fn disc(middle: vec3<f32>, radius: f32, colour: vec3<f32>, corner: u32) -> Place {
    var place: Place;
    place.clip = NOWHERE;
    place.colour = colour;
    let h = homogeneous(middle);
    let near = frame.eye.w;
    if (h.z > near) {
        let centre = h.xy / h.z;
        place.disc = vec3<f32>(centre, radius);
        // One pixel more all around: which samples are inside is found out later.
        let corners = vec2<f32>(f32(corner % 2u), f32(corner / 2u)) * 2.0 - 1.0;
        let pixel = centre + corners * (radius + 1.0);
        let depth = max(h.z * (1.0 - BALL_BIAS), near);
        place.clip = clip_of(vec3<f32>(pixel * depth, depth));
    }
    return place;
}

@fragment
fn ball_fragment(place: Place) -> Shown {
    let corner = floor(place.clip.xy);
    var samples = 0u;
    var sum = vec2<f32>(0.0);
    var count = 0.0;
    for (var s = 0u; s < SAMPLES; s++) {
        let d = corner + sample_at(s) - place.disc.xy;
        if (dot(d, d) <= place.disc.z * place.disc.z) {
            samples |= 1u << s;
            sum += d;
            count += 1.0;
        }
    }
    if (samples == 0u) {
        discard;
    }
    // A ball shows the half that is turned to the eye.
    let d = sum / (max(count, 1.0) * place.disc.z);
    let to_eye = -frame.forward.xyz;
    let outward = sqrt(max(1.0 - dot(d, d), 0.0));
    let normal = frame.right.xyz * d.x - frame.up.xyz * d.y + to_eye * outward;
    let light = reflected(place.colour, normal, to_eye, frame.to_light.xyz, 1.0);
    return Shown(shown(light), samples);
}
