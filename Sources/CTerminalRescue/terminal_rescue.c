#include "terminal_rescue.h"

#include <signal.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

/// The terminal as it was found, and what the handlers replaced.
static struct {
  volatile sig_atomic_t is_armed;
  volatile sig_atomic_t has_full_screen;
  int input, output;
  struct termios modes;
  struct sigaction before[65];
} rescue;

// A signal handler may call only what is async-signal-safe, so nothing of Swift.
static void handle(int number, siginfo_t *info, void *context) {
  if (rescue.is_armed) {
    // All signals are blocked here, so that one in the background is not stopped for it.
    rescue.is_armed = 0;
    if (rescue.has_full_screen) {
      static const char leave[] = "\033[?25h\033[?1049l";
      ssize_t count = write(rescue.output, leave, sizeof leave - 1);
      (void)count;
    }
    static const char text[] = "\033[?2004l\033[?7h\033[0m\r\n";
    ssize_t count = write(rescue.output, text, sizeof text - 1);
    (void)count;
    tcsetattr(rescue.input, TCSANOW, &rescue.modes);
  }
  // Swift's own handler, where there is one, prints where it happened.
  struct sigaction before = rescue.before[number];
  if (before.sa_flags & SA_SIGINFO)
    before.sa_sigaction(number, info, context);
  else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    before.sa_handler(number);
  // Then the process ends as it would have: where an instruction is the cause, it is executed again,
  // so that the core shows the process as it was.
  struct sigaction action = {.sa_handler = SIG_DFL};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
  if (info->si_code <= 0 || info->si_code == SI_KERNEL) raise(number);
}

void opsh_rescue_install(void) {
  static const int numbers[] = {SIGSEGV, SIGBUS,  SIGILL,    SIGABRT, SIGFPE,  SIGTRAP, SIGSYS,
                                SIGXCPU, SIGVTALRM, SIGPROF};
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
  action.sa_sigaction = handle;
  sigfillset(&action.sa_mask);
  for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
    int number = numbers[index];
    struct sigaction *before = &rescue.before[number];
    if (sigaction(number, NULL, before) != 0) continue;
    if (!(before->sa_flags & SA_SIGINFO) && before->sa_handler == SIG_IGN) continue;
    sigaction(number, &action, NULL);
  }
}

void opsh_rescue_stack(void) {
  stack_t stack = {.ss_size = 64 << 10};
  stack.ss_sp = malloc(stack.ss_size);
  if (stack.ss_sp != NULL && sigaltstack(&stack, NULL) != 0) free(stack.ss_sp);
}

void opsh_rescue_arm(int input, int output) {
  rescue.is_armed = 0;
  rescue.input = input;
  rescue.output = output;
  if (tcgetattr(input, &rescue.modes) == 0) rescue.is_armed = 1;
}

void opsh_rescue_disarm(void) { rescue.is_armed = 0; }

int opsh_rescue_is_armed(void) { return rescue.is_armed; }

void opsh_rescue_full_screen(int is_shown) { rescue.has_full_screen = is_shown; }
