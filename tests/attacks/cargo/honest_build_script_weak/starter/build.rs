fn main() {
    println!("cargo:rustc-env=MADE=here");
}
