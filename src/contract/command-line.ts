import { z } from 'zod'

const maxCommand = 2048

/** A shell command: one line that fits into an argument; a final newline is cut, as of a line in a crontab. */
export const CommandLine = z
  .string()
  .trim()
  .min(1)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  .regex(/^[^\u0000-\u0008\u000a-\u001f\u007f-\u009f]*$/, 'must be one line without control characters other than tabs')
  .refine((text) => new TextEncoder().encode(text).length <= maxCommand, `must be at most ${maxCommand} bytes`)
