// What the C library offers and Swift's Glibc module does not show: variadic
// functions, functions behind _GNU_SOURCE, and macros that are not plain constants.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

// _GNU_SOURCE is not defined here: it changes the fields of `fd_set`, and a program cannot
// use two modules that disagree about a type. What the macro guards is declared again.
#include <bits/types/cookie_io_functions_t.h>
extern FILE *fopencookie(void *context, const char *mode, cookie_io_functions_t functions);
extern int wcwidth(wchar_t character);
extern int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout,
                 const sigset_t *mask);
extern int posix_openpt(int flags);
extern int grantpt(int descriptor);
extern int unlockpt(int descriptor);
extern int ptsname_r(int descriptor, char *name, size_t size);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions,
                                                const char *path);
extern int pipe2(int descriptors[2], int flags);

#ifndef POSIX_SPAWN_SETSID
#define POSIX_SPAWN_SETSID 0x80
#endif

/// The environment of the process, which C has in a variable and Swift wants no part of.
static inline char *_Nullable *_Nullable opsh_environment(void) {
  extern char **environ;
  return environ;
}

/// The error number of the last failed call on this thread.
static inline int opsh_errno(void) { return errno; }

/// Reads the size of the terminal window; 0 if it is known.
static inline int opsh_window_size(int descriptor, unsigned short *columns,
                                   unsigned short *rows) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return -1;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return 0;
}

/// Sets the size of the terminal window; its foreground process group gets SIGWINCH.
static inline int opsh_set_window_size(int descriptor, unsigned short columns,
                                       unsigned short rows) {
  struct winsize size = {.ws_row = rows, .ws_col = columns};
  return ioctl(descriptor, TIOCSWINSZ, &size);
}

/// How many bytes a terminal has still to send, 0 where it does not say: no pseudo terminal does.
static inline int opsh_output_queue(int descriptor) {
  int count = 0;
  return ioctl(descriptor, TIOCOUTQ, &count) == 0 ? count : 0;
}

/// Makes a counter that polls as readable while it is not zero.
static inline int opsh_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// Makes a descriptor that delivers the signals of `mask`.
static inline int opsh_signalfd(const sigset_t *mask) {
  return signalfd(-1, mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

/// Polls with a time limit in nanoseconds; a negative one means none.
static inline int opsh_poll(struct pollfd *descriptors, unsigned long count,
                            long long nanoseconds) {
  struct timespec limit = {.tv_sec = nanoseconds / 1000000000LL,
                           .tv_nsec = nanoseconds % 1000000000LL};
  return ppoll(descriptors, count, nanoseconds < 0 ? NULL : &limit, NULL);
}

/// Whether the signal is ignored at this moment, as `nohup` arranges for SIGHUP.
static inline int opsh_signal_is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 &&
         action.sa_handler == SIG_IGN;
}

/// Lets the signal have its default effect again.
static inline void opsh_signal_default(int number) {
  struct sigaction action = {.sa_flags = 0};
  action.sa_handler = SIG_DFL;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

/// Ignores the signal.
static inline void opsh_signal_ignore(int number) {
  struct sigaction action = {.sa_flags = 0};
  action.sa_handler = SIG_IGN;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

/// Prepares attributes for a child: no signal blocked, those that we ignore deadly again, and the
/// given further flags (POSIX_SPAWN_SETSID, POSIX_SPAWN_SETPGROUP).
///
/// A child inherits the mask of the thread that spawns it, and ours blocks what the
/// signal descriptor reads: without this no child could be interrupted.
static inline int opsh_spawnattr_child_signals(posix_spawnattr_t *attributes, short flags) {
  sigset_t none, ignored;
  sigemptyset(&none);
  sigemptyset(&ignored);
  sigaddset(&ignored, SIGPIPE);
  sigaddset(&ignored, SIGXFSZ);
  int failure = posix_spawnattr_setsigmask(attributes, &none);
  if (failure == 0) failure = posix_spawnattr_setsigdefault(attributes, &ignored);
  if (failure == 0)
    failure = posix_spawnattr_setflags(
        attributes, (short)(flags | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  return failure;
}

/// The flag that starts a child in a session of its own.
static inline short opsh_spawn_setsid(void) { return POSIX_SPAWN_SETSID; }

/// Prepares attributes for a child in a process group of its own, with signals as usual.
static inline int opsh_spawnattr_own_group(posix_spawnattr_t *attributes) {
  int failure = opsh_spawnattr_child_signals(attributes, POSIX_SPAWN_SETPGROUP);
  if (failure == 0) failure = posix_spawnattr_setpgroup(attributes, 0);
  return failure;
}

/// Makes a descriptor that polls as readable when the process has ended; -1 where the system has
/// none.
static inline int opsh_pidfd(pid_t process) {
#ifdef SYS_pidfd_open
  return (int)syscall(SYS_pidfd_open, process, 0);
#else
  return -1;
#endif
}

/// The exit status of a child that ended by itself, or -1.
static inline int opsh_exit_status(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The number of the signal that ended a child, or 0.
static inline int opsh_exit_signal(int status) {
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/// Opens the master side of a new pseudo terminal, closed in children.
static inline int opsh_open_pseudo_terminal(void) {
  int descriptor = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  if (grantpt(descriptor) != 0 || unlockpt(descriptor) != 0) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

/// Makes a stream that hands everything written to it to `write`, and reads as empty.
static inline FILE *opsh_write_stream(void *context,
                                      ssize_t (*write)(void *, const char *, size_t)) {
  cookie_io_functions_t functions = {.read = NULL, .write = write, .seek = NULL, .close = NULL};
  return fopencookie(context, "w", functions);
}

// glibc has it since 2.35; elsewhere the parent hands the terminal over, a moment late.
extern int posix_spawn_file_actions_addtcsetpgrp_np(posix_spawn_file_actions_t *actions,
                                                    int descriptor) __attribute__((weak));

/// Has a child make its process group the terminal's foreground one before it runs; does nothing
/// where the system can't.
static inline int opsh_spawn_take_terminal(posix_spawn_file_actions_t *actions, int descriptor) {
  if (posix_spawn_file_actions_addtcsetpgrp_np == NULL) return 0;
  return posix_spawn_file_actions_addtcsetpgrp_np(actions, descriptor);
}

/// Whether the state of a child means that it was stopped, as by Ctrl-Z.
static inline int opsh_is_stopped(int status) { return WIFSTOPPED(status); }
