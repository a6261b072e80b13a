import { chmodSync, lstatSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HomeWork } from './home.ts'

/** Creates what is wanted in a home; existing entries stay unchanged. */
export function fill({ home, moves, dirs, files }: HomeWork): void {
  for (const { from, to } of moves)
    if (isThere(join(home, from)) && !isThere(join(home, to))) renameSync(join(home, from), join(home, to))
  for (const { path, mode } of dirs) makeDir(join(home, path), mode)
  for (const { path, mode, content } of files) write(join(home, path), mode, content)
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

function makeDir(path: string, mode: number): void {
  if (isThere(path)) return
  mkdirSync(path)
  chmodSync(path, mode)
}

function write(path: string, mode: number, content: string): void {
  const staged = `${path}.panel-new`
  writeFileSync(staged, content, { flag: 'w', mode: 0o600 })
  chmodSync(staged, mode)
  renameSync(staged, path)
}
