// Restores the terminal when a signal ends the process.
//
// A target of its own, compiled once: as inline functions of a header, each object file that calls
// them would have its own copy of the state, and the optimizer decides which object file calls.
#pragma once

/// Has the signals that end a process restore the terminal first.
void opsh_rescue_install(void);

/// Gives this thread a stack for signal handlers, for the case that its own has overflowed.
void opsh_rescue_stack(void);

/// Notes the state of the terminal as it is now.
void opsh_rescue_arm(int input, int output);

/// Leaves the terminal to others from now on.
void opsh_rescue_disarm(void);

/// Whether the state of a terminal is noted.
int opsh_rescue_is_armed(void);

/// Says whether the full screen is shown, which has to be left first.
void opsh_rescue_full_screen(int is_shown);
