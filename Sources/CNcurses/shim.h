#pragma once
// The wide functions, whoever includes this.
#ifndef _XOPEN_SOURCE_EXTENDED
#define _XOPEN_SOURCE_EXTENDED 1
#endif
#include <curses.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
// Not <term.h>: it defines names such as `columns` and `lines` as macros.
extern int setupterm(const char *name, int file, int *error);
extern char *tigetstr(const char *capability);
// GNU extensions, which Swift's view of glibc leaves out.
extern int wcwidth(wchar_t character);
extern int pthread_setname_np(pthread_t thread, const char *name);

// Macros that Swift can't read.
static const attr_t tactus_bold = A_BOLD;
static const attr_t tactus_dim = A_DIM;
static const attr_t tactus_reverse = A_REVERSE;

// Global variables, which Swift takes for shared between threads.
static inline SCREEN *tactus_begin_screen(void) { return newterm(NULL, stdout, stdin); }

static inline WINDOW *tactus_window(void) { return stdscr; }

// The size of a terminal; -1 where it is none.
static inline int tactus_terminal_size(int file, struct winsize *size) { return ioctl(file, TIOCGWINSZ, size); }

// A counter to wake a poll with: closed on exec, never blocks.
static inline int tactus_panel_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
