import { readFile } from 'node:fs/promises'
import type { Left } from '../../apps/ground.ts'
import { put } from '../put.ts'

/** What is known of a release that runs, for the next agent. */
export interface Note extends Omit<Left, 'run'> {
  readonly username: string
  /** Its name. */
  readonly app: string
  readonly unit: string
  /** When it was started, to tell which came last. */
  readonly begun: number
}

export const writeNote = (path: string, note: Note): void => put(path, `${JSON.stringify(note)}\n`, 0o600)

/** One that was cut short tells nothing. */
export async function readNote(path: string): Promise<Note | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Note
  } catch {
    return undefined
  }
}
