// carry: hides our environment variables from a program, and adds them again for those it starts.
#ifndef FRAMES_CARRY_H
#define FRAMES_CARRY_H

// Takes our variables out of the environment. Returns the path of the board; NULL: there is none.
const char *carry_hide(void);

#endif
