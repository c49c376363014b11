#pragma once
// Declares the wide-character functions in every including file.
#ifndef _XOPEN_SOURCE_EXTENDED
#define _XOPEN_SOURCE_EXTENDED 1
#endif
#include <curses.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
// Not <term.h>: it defines names such as `columns` and `lines` as macros.
extern int setupterm(const char *name, int file, int *error);
extern char *tigetstr(const char *capability);
// A GNU extension, which Swift's glibc module omits.
extern int wcwidth(wchar_t character);

// Macros that Swift can't read.
static const attr_t tactus_bold = A_BOLD;
static const attr_t tactus_dim = A_DIM;
static const attr_t tactus_reverse = A_REVERSE;

static const mmask_t tactus_mouse_click = BUTTON1_PRESSED;
static const mmask_t tactus_mouse_up = BUTTON4_PRESSED;
#if NCURSES_MOUSE_VERSION > 1
static const mmask_t tactus_mouse_down = BUTTON5_PRESSED;
#else
static const mmask_t tactus_mouse_down = 0;
#endif
// Whatever a terminal may report, though only three of these are used: curses waits for the next key, with the delay off too, where it
// reads an event that nobody has asked for. Presses and releases, so that it makes no clicks of them; the position stands for
// buttons that curses does not know, such as a wheel to the side.
static const mmask_t tactus_mouse =
#if NCURSES_MOUSE_VERSION > 1
    BUTTON5_PRESSED | BUTTON5_RELEASED |
#endif
    BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON2_PRESSED | BUTTON2_RELEASED | BUTTON3_PRESSED | BUTTON3_RELEASED |
    BUTTON4_PRESSED | BUTTON4_RELEASED | REPORT_MOUSE_POSITION;

// Global variables, which Swift 6 refuses as shared mutable state.
static inline SCREEN *tactus_begin_screen(void) { return newterm(NULL, stdout, stdin); }

static inline WINDOW *tactus_window(void) { return stdscr; }

// The size of a terminal; -1 if the descriptor is not a terminal.
static inline int tactus_terminal_size(int file, struct winsize *size) { return ioctl(file, TIOCGWINSZ, size); }
