import { z } from 'zod'

const maxCommand = 2048

/** A shell command: one line that fits into an argument. */
export const CommandLine = z
  .string()
  .min(1)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'must be one line without control characters')
  .refine((text) => new TextEncoder().encode(text).length <= maxCommand, `must be at most ${maxCommand} bytes`)
