import { readFileSync } from 'node:fs'
import { pemOfBytes } from '../../shared/pem-file.ts'
import { reasonOf } from '../../shared/system-error.ts'
import { usage } from '../errors.ts'
import { standardInputBytes } from './standard-input.ts'

export const isPem = (text: string): boolean => text.includes('-----BEGIN') || text.includes('\n')

/** The PEM text of what was typed: the text itself, or that of a file, which may be binary; `-` is standard input. */
export function pemInput(option: string, typed: string): string {
  return isPem(typed) ? typed : (pemOfBytes(bytesOf(option, typed)) ?? unreadable(option))
}

function bytesOf(option: string, path: string): Buffer {
  try {
    return path === '-' ? standardInputBytes() : readFileSync(path)
  } catch (error) {
    throw usage(
      `--${option}: ${path}: ${reasonOf(error)}`,
      'give the path of a PEM, DER or PKCS #12 file, or - for standard input',
    )
  }
}

function unreadable(option: string): never {
  throw usage(`--${option}: the file cannot be read as a certificate, a key or PKCS #12`)
}
