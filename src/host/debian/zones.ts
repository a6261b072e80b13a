import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const zone = /^var\/lib\/bind\/panel\/zones\/(.+)\.zone$/
/** Files that named keeps beside a zone that it signs. */
const stored = ['jnl', 'jbk', 'signed', 'signed.jnl']
const keys = 'var/lib/bind/panel/keys'

/** Removes named's files of removed zones: a new zone with the same name must not find them. */
export function clearZones(paths: readonly string[], root = '/'): void {
  for (const path of paths) {
    const name = zone.exec(path)?.[1]
    if (name === undefined || existsSync(join(root, path))) continue
    for (const ending of stored) rmSync(join(root, `${path}.${ending}`), { force: true })
    removeEmpty(join(root, keys, name))
  }
}

function removeEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder)
}
