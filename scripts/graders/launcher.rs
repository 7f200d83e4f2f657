// Starts a hidden test in a process that can start no other: `launcher PROGRAM ARGUMENT...`
//
// A filter on system calls refuses fork and exec to the program and to all of its threads, so that a submission
// cannot try its answers out in copies of the test. The one exec that it lets through is told by the address of
// the path: a random one, in a page that is gone once the program runs. Exit status 96: no filter could be set.
#![no_std]
#![no_main]

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

extern "C" {
    static environ: *const *const u8;
    fn execve(path: *const u8, argv: *const *const u8, env: *const *const u8) -> i32;
    fn getrandom(into: *mut u8, size: usize, flags: u32) -> isize;
    fn mmap(at: *mut u8, size: usize, access: i32, flags: i32, file: i32, offset: isize) -> *mut u8;
    fn prctl(option: i32, a: usize, b: usize, c: usize, d: usize) -> i32;
    fn strlen(text: *const u8) -> usize;
}

#[cfg(target_arch = "x86_64")]
mod calls {
    pub const TABLE: u32 = 0xC000_003E;
    pub const EXECVE: u32 = 59;
    pub const CLONE: u32 = 56;
    pub const CLONE3: u32 = 435;
    pub const REFUSED: [u32; 4] = [57, 58, 322, 101]; // fork vfork execveat ptrace
}
#[cfg(target_arch = "aarch64")]
mod calls {
    pub const TABLE: u32 = 0xC000_00B7;
    pub const EXECVE: u32 = 221;
    pub const CLONE: u32 = 220;
    pub const CLONE3: u32 = 435;
    pub const REFUSED: [u32; 2] = [281, 117]; // execveat ptrace
}
use calls::*;

#[repr(C)]
#[derive(Clone, Copy)]
struct Line(u16, u8, u8, u32); // code, skip when true, skip when false, operand

#[repr(C)]
struct Filter {
    lines: u16,
    first: *const Line,
}

const LOAD: u16 = 0x20;
const EQUAL: u16 = 0x15;
const AT_LEAST: u16 = 0x35;
const BITS: u16 = 0x45;
const RETURN: u16 = 0x06;
const ALLOW: u32 = 0x7FFF_0000;
const NOT_PERMITTED: u32 = 0x0005_0001;
const NOT_THERE: u32 = 0x0005_0026; // for clone3 the C library then takes clone, whose flags can be read
const NUMBER: u32 = 0; // offsets in what a filter sees
const MACHINE: u32 = 4;
const ARGUMENT: u32 = 16;
const THREAD: u32 = 0x10000;
const MOST: usize = 32;

fn filter(path: usize) -> ([Line; MOST], usize) {
    let mut lines = [Line(RETURN, 0, 0, ALLOW); MOST];
    let mut n = 0;
    let first = lines.as_mut_ptr();
    let mut add = |line: Line| {
        unsafe { first.add(n).write(line) };
        n += 1;
    };
    add(Line(LOAD, 0, 0, MACHINE));
    add(Line(EQUAL, 1, 0, TABLE));
    add(Line(RETURN, 0, 0, NOT_PERMITTED));
    add(Line(LOAD, 0, 0, NUMBER));
    add(Line(AT_LEAST, 0, 1, 0x4000_0000)); // another table's numbers
    add(Line(RETURN, 0, 0, NOT_PERMITTED));
    for call in REFUSED {
        add(Line(EQUAL, 0, 1, call));
        add(Line(RETURN, 0, 0, NOT_PERMITTED));
    }
    add(Line(EQUAL, 0, 1, CLONE3));
    add(Line(RETURN, 0, 0, NOT_THERE));
    add(Line(EQUAL, 0, 3, CLONE));
    add(Line(LOAD, 0, 0, ARGUMENT));
    add(Line(BITS, 6, 0, THREAD));
    add(Line(RETURN, 0, 0, NOT_PERMITTED));
    add(Line(EQUAL, 0, 4, EXECVE));
    add(Line(LOAD, 0, 0, ARGUMENT));
    add(Line(EQUAL, 0, 3, path as u32));
    add(Line(LOAD, 0, 0, ARGUMENT + 4));
    add(Line(EQUAL, 0, 1, (path >> 32) as u32));
    add(Line(RETURN, 0, 0, ALLOW));
    add(Line(RETURN, 0, 0, NOT_PERMITTED));
    (lines, n)
}

#[no_mangle]
pub unsafe extern "C" fn main(count: i32, argv: *const *const u8) -> i32 {
    let mut random = [0usize; 2];
    if count < 2 || getrandom(random.as_mut_ptr() as *mut u8, 16, 0) != 16 {
        return 96;
    }
    let program = *argv.add(1);
    let length = strlen(program) + 1;
    let place = (random[0] & 0x3FFF_FFFF_F000) as *mut u8;
    let page = mmap(place, length + 4096, 3, 0x22, -1, 0); // private, anonymous; the place is a hint
    if page as isize == -1 {
        return 96;
    }
    let path = page.add(random[1] & 0xFFF);
    for i in 0..length {
        path.add(i).write_volatile(*program.add(i));
    }
    let (lines, n) = filter(path as usize);
    let filter = Filter { lines: n as u16, first: lines.as_ptr() };
    if prctl(38, 1, 0, 0, 0) != 0 || prctl(22, 2, &filter as *const Filter as usize, 0, 0) != 0 {
        return 96;
    }
    execve(path, argv.add(1), environ);
    97
}
