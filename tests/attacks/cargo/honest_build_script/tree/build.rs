fn main() {
    println!("cargo:rustc-cfg=right");
}
