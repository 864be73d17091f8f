//! Tells the code which version of the interpreter it is built for.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
