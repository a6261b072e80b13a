/** The command line's exit codes. The contract maps each problem code to one. */
export const exit = {
  ok: 0,
  error: 1,
  usage: 2,
  notFound: 3,
  auth: 4,
  conflict: 5,
  inputNeeded: 6,
  network: 7,
  stillRunning: 8,
  jobFailed: 9,
  interrupted: 130,
} as const

/** Exit codes and meanings, in order, for help and manual. */
export const exitMeanings: readonly (readonly [number, string])[] = [
  [exit.ok, 'Done.'],
  [exit.error, 'The server refused or failed.'],
  [exit.usage, 'The command line is wrong.'],
  [exit.notFound, 'Not found, or not yours.'],
  [exit.auth, 'Not signed in, or not allowed.'],
  [exit.conflict, 'In conflict with the current state.'],
  [exit.inputNeeded, 'Input or a confirmation is needed, but there is no terminal to ask on.'],
  [exit.network, 'The server cannot be reached, or its certificate is not trusted.'],
  [exit.stillRunning, 'The job is still running: the time to wait is over.'],
  [exit.jobFailed, 'The job failed or was cancelled.'],
  [exit.interrupted, 'Interrupted with Ctrl-C.'],
]
