import { readFile } from 'node:fs/promises'
import type { Left } from '../../apps/ground.ts'
import { put } from '../put.ts'

/** What the next agent must know about a running release. */
export interface Note extends Omit<Left, 'run'> {
  readonly username: string
  /** The app's name. */
  readonly app: string
  readonly unit: string
  /** Its start time, to find the latest. */
  readonly begun: number
}

export const writeNote = (path: string, note: Note): void => put(path, `${JSON.stringify(note)}\n`, 0o600)

/** An incomplete note is ignored. */
export async function readNote(path: string): Promise<Note | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Note
  } catch {
    return undefined
  }
}
