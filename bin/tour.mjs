#!/usr/bin/env node
// Plays the billing lifecycle against a server of its own. With --readme the session is put into README.md.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

const panel = fileURLToPath(new URL('panel.js', import.meta.url))
const readme = fileURLToPath(new URL('../README.md', import.meta.url))
const width = 100

/** A command, and what the file `password` holds that it reads. */
export const steps = [
  ['packages create small --disk-quota-mb 1000 --max-email 10 -q'],
  ['packages create large --disk-quota-mb 5000 -q'],
  ['accounts create alice --domain alice.example --package small -q'],
  ['accounts list --columns username,main_domain,package_name,status,disk_used_mb,created_at'],
  ['accounts usage alice --columns disk_mb.used,disk_mb.limit,email_accounts.limit'],
  ['accounts suspend alice --reason unpaid --columns username,status,suspend_reason'],
  ['accounts unsuspend alice -q'],
  ['accounts set-package alice large --columns username,package_name,disk_quota_mb'],
  ['accounts set-password alice --password-stdin', 'correct horse battery staple'],
  ['tokens create billing --scopes accounts:write --columns token.name,token.scopes'],
  ['accounts terminate alice --yes -q'],
  ['events list --columns seq,type,data.account.username,data.via'],
]

/** The line as it is typed. */
export const typed = ([command, input]) => `$ panel ${command}${input ? ' < password' : ''}`

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`

/** Plays a step on this terminal. */
function play([command, input], env) {
  const { status } = spawnSync(process.execPath, [panel, ...command.split(' '), '--data-dir', env.PANEL_DATA_DIR], {
    env,
    input,
    stdio: [input ? 'pipe' : 'ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new Error(`panel ${command} ended with ${status}`)
}

/** Plays a step on a terminal of its own, and answers what is left on the screen. */
function record([command, input], env) {
  const from = input ? ` <<<${quoted(input)}` : ''
  const line = `${quoted(process.execPath)} ${quoted(panel)} ${command} --data-dir ${quoted(env.PANEL_DATA_DIR)}${from}`
  const { status, stdout } = spawnSync('script', ['-qec', `stty cols ${width} rows 50; ${line}`, '/dev/null'], {
    env: { ...env, TERM: 'xterm', SHELL: '/bin/bash' },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`panel ${command} ended with ${status}: ${stdout}`)
  return screenOf(stdout)
}

/** What is drawn over is gone; colours are left out. */
const screenOf = (output) =>
  output
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => stripVTControlCharacters(line.split('\u001b[2K').at(-1)).replaceAll('\r', '').trimEnd())
    .join('\n')
    .trim()

/** The text between the marks, replaced. */
const withSession = (text, session) =>
  text.replace(
    /(<!-- session -->\n)[\s\S]*(<!-- \/session -->)/,
    (_all, begin, end) => `${begin}\n\`\`\`console\n${session}\n\`\`\`\n\n${end}`,
  )

/** Nothing that was saved or exported may lead a command to another server. */
function ownEnvironment(folder) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PANEL_'))
  const own = { PANEL_DATA_DIR: join(folder, 'data'), XDG_CONFIG_HOME: join(folder, 'config') }
  return { ...Object.fromEntries(inherited), ...own }
}

/** Runs something against a server that is gone afterwards. */
async function withServer(work) {
  const folder = mkdtempSync(join(tmpdir(), 'panel-tour-'))
  const env = ownEnvironment(folder)
  const words = [
    'serve',
    '--host',
    '127.0.0.1',
    '--hostname',
    'localhost',
    '--port',
    '0',
    '--data-dir',
    env.PANEL_DATA_DIR,
  ]
  const server = spawn(process.execPath, [panel, ...words], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  // A reader that leaves early (`| head`) must not leave the server and its directory behind.
  process.stdout.on('error', () => {})
  const stopped = new Promise((resolve) => server.once('exit', resolve))
  try {
    await new Promise((resolve, reject) => {
      server.stdout.once('data', resolve)
      server.once('exit', () => reject(new Error('the server did not start')))
    })
    work(env)
  } finally {
    server.kill('SIGTERM')
    await stopped
    rmSync(folder, { recursive: true, force: true })
  }
}

function tour(env) {
  for (const step of steps) {
    process.stdout.write(`${typed(step)}\n`)
    play(step, env)
    process.stdout.write('\n')
  }
}

function session(env) {
  const parts = steps.map((step) => `${typed(step)}\n${record(step, env)}`.trim())
  writeFileSync(readme, withSession(readFileSync(readme, 'utf8'), parts.join('\n\n')))
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await withServer(process.argv.includes('--readme') ? session : tour)
