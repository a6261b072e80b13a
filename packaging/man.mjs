#!/usr/bin/env node
// npm links manual pages that package.json lists one by one: they are listed while the package is packed.
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const file = `${root}package.json`
const { man: _, ...manifest } = JSON.parse(readFileSync(file, 'utf8'))
const man = readdirSync(`${root}man`)
  .sort()
  .map((page) => `man/${page}`)
const listed = process.argv.includes('--remove') ? manifest : { ...manifest, man }
writeFileSync(`${file}.new`, `${JSON.stringify(listed, null, 2)}\n`)
renameSync(`${file}.new`, file)
