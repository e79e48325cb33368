mod damage;
mod read;
mod round_trip;
