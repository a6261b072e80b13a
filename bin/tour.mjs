#!/usr/bin/env node
// Plays the billing lifecycle against a server of its own, and prints the session as it happens.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const panel = fileURLToPath(new URL('panel.js', import.meta.url))
const dataDir = mkdtempSync(join(tmpdir(), 'panel-tour-'))
const env = { ...process.env, PANEL_DATA_DIR: dataDir }
for (const name of ['PANEL_URL', 'PANEL_TOKEN', 'PANEL_CONTEXT', 'PANEL_OUTPUT']) delete env[name]

const steps = [
  ['packages create small --disk-quota-mb 1000 --max-email 10'],
  ['packages create large --disk-quota-mb 5000'],
  ['accounts create alice --domain alice.example --package small --contact-email alice@example.com'],
  ['accounts list'],
  ['accounts usage alice'],
  ['accounts suspend alice --reason unpaid'],
  ['accounts unsuspend alice'],
  ['accounts set-package alice large'],
  ['accounts set-password alice --password-stdin', 'correct horse battery staple'],
  [
    'tokens create billing --scopes accounts:write,packages:write --allowed-ips 192.0.2.7 --columns token.name,token.scopes',
  ],
  ['accounts terminate alice --yes'],
  ['events list --columns seq,type,data.account.username,data.via'],
]

const shown = (command, input) => `$ ${input ? `echo '${input}' | ` : ''}panel ${command}`

function play([command, input]) {
  process.stdout.write(`${shown(command, input)}\n`)
  const { status } = spawnSync(process.execPath, [panel, ...command.split(' ')], {
    env,
    input,
    stdio: [input ? 'pipe' : 'ignore', 'inherit', 'inherit'],
  })
  process.stdout.write('\n')
  if (status !== 0) throw new Error(`panel ${command} ended with ${status}`)
}

const server = spawn(
  process.execPath,
  [panel, 'serve', '--host', '127.0.0.1', '--hostname', 'localhost', '--port', '0'],
  { env, stdio: ['ignore', 'pipe', 'ignore'] },
)
const stopped = new Promise((resolve) => server.once('exit', resolve))
try {
  await new Promise((resolve, reject) => {
    server.stdout.once('data', resolve)
    server.once('exit', () => reject(new Error('the server did not start')))
  })
  for (const step of steps) play(step)
} finally {
  server.kill('SIGTERM')
  await stopped
  rmSync(dataDir, { recursive: true, force: true })
}
