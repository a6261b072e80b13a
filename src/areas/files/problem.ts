import { Problem } from '../../contract/problem.ts'
import { FileError } from '../../host/contract/driver.ts'

/** Converts the host's error to a problem. */
export function asProblem(error: unknown): unknown {
  if (!(error instanceof FileError)) return error
  const { reason: code, field, message, size } = error
  const headers: Record<string, string> = {
    ...(code === 'overloaded' && { 'Retry-After': '1' }),
    ...(size !== undefined && { 'Content-Range': `bytes */${size}` }),
  }
  const prefix = `${field}: `
  const about = message.startsWith(prefix) ? message.slice(prefix.length) : message
  return new Problem(code, message, field === undefined ? undefined : { [field]: about }, headers)
}

export async function withProblems<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw asProblem(error)
  }
}
