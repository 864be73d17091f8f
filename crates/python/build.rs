//! Tells the code which version of the interpreter it is built for, and whether a profile guided the compiler.

use std::env;

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
    println!("cargo:rustc-check-cfg=cfg(profiled)");
    if env::var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| flags.contains("profile-use")) {
        println!("cargo:rustc-cfg=profiled");
    }
}
