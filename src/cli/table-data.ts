import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../shared/package-root.ts'

const fileOf = (name: string): string => join(packageRoot(), 'dist/table', `${name}.json`)

const read = (name: string): unknown => JSON.parse(readFileSync(fileOf(name), 'utf8'))

/** Every command. */
export const readWhole = (): unknown => read('all')

/** The commands with this first word and what they need, if any. */
export const readPart = (word: string): unknown =>
  /^[a-z-]+$/.test(word) && existsSync(fileOf(word)) ? read(word) : undefined
