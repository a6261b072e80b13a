import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bin, ensureBuilt, environment } from './cli/run.ts'
import { place, type ServerProcess, startServer } from './serve/server.ts'

const scratch = mkdtempSync(join(tmpdir(), 'panel-docs-'))
beforeAll(ensureBuilt)
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const pages = ['README.md', ...readdirSync('docs').map((name) => `docs/${name}`)].filter((name) => name.endsWith('.md'))

/** Lines of shell blocks that run `panel`, with the lines that they continue on, and without comments. */
function commandsIn(page: string): string[] {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = '']) => text)
  const lines = blocks.flatMap((text) => text.replace(/\\\n\s*/g, ' ').split('\n'))
  return lines.filter((line) => /(?:^|\| |\$\()(?:sudo )?panel /.test(line)).map((line) => line.replace(/\s+#.*$/, ''))
}

/** What is not run here, and why; test/docs.test.ts checks that its words exist. */
const elsewhere: readonly (readonly [because: string, lines: RegExp])[] = [
  ['sets up a Debian host as root: test/lab', /^(sudo )?panel host setup/],
  ['joins a second machine: test/lab and test/host/fleet', /panel host join/],
  ['runs until it is stopped: test/serve', /^panel serve/],
  ['follows a log until it is interrupted: test/logs', /--follow$/],
  ['asks at a terminal: test/cli/login-terminal.test.ts', /^panel (login|root set-password)/],
  ['checks a host that is set up: test/cli/doctor.test.ts', /^panel doctor/],
  ['replaces the store of a server that is stopped: test/store', /^panel (restore|takeover|secret rotate)/],
  ['copies the store to another machine: test/cli/replica.test.ts', /^panel replica/],
  ['needs an S3 bucket or a machine by SFTP: test/backups', /offsite|--type sftp/],
  ['needs a certificate authority: test/ssl', /^panel ssl issue|--certificate shop\.crt$/],
  ['needs a repository: test/apps', /--ref v2|^panel apps rollback/],
  ['needs a chat, or something that is wrong: test/alerts', /channels test chat|alerts acknowledge/],
  [
    'needs MariaDB: test/mysql and test/lab',
    /^(zcat .*)?panel mysql (import|export|create-export|show-dumps)|--part mysql|--databases/,
  ],
  ['needs an archive of another panel: test/imports', /^panel import/],
  ['needs the queue and the log of a mail server: test/email', /^panel email (queue|trace)/],
  ['needs a domain whose mail arrives at the server: test/email', /set-mta-sts/],
  ['needs a relay that answers: test/relays', /^panel relays test/],
  [
    'needs a source, or a site with WordPress: test/wordpress',
    /^panel wordpress (install|show|set|delete|plugins|themes|users|sign-in|maintenance|update|undo)/,
  ],
  ['needs saved servers: test/cli/contexts.test.ts', /--all-contexts/],
  ['needs a second machine: test/nodes', /--lost|--node web|nodes (drain|delete web2 --confirm)/],
  ['needs the names of a real domain: test/domains', /^panel domains verify/],
]

/** What a page takes for granted, besides the account alice and what its own lines make. */
const shop = 'panel domains create shop.example -a alice -q > /dev/null'
const backup = 'panel backups create -a alice -q > /dev/null'
const bob = 'panel accounts create bob --domain bob.example -q > /dev/null'
const before: Readonly<Record<string, readonly string[]>> = {
  'docs/account-backups.md': [shop, backup, backup],
  'docs/apps.md': [shop],
  'docs/certificates.md': [shop],
  'docs/dns.md': [shop],
  'docs/mail.md': [
    'panel domains set-verified alice.example true -a alice -q > /dev/null',
    'echo canary-mail > ses.key',
  ],
  'docs/cron.md': ['panel files upload cron.php sites/alice.example/cron.php -a alice -q > /dev/null'],
  'docs/nodes.md': [bob, 'panel packages create fast -q > /dev/null'],
}

const example = '01K9ZQ5T3M8V4X7C2B6N1D0FGH'

test.each(pages)('every command of %s runs, or is tested elsewhere', { timeout: 300_000 }, async (page) => {
  const lines = commandsIn(page)
  if (lines.length === 0) return
  const server = await startServer(place(), { hostname: 'localhost', logLevel: 'silent', trustTenants: true })
  const shell = shellOf(server, page)
  for (const line of [...(page === first ? [] : base), ...(before[page] ?? [])])
    expect([line, shell(line).stderr]).toEqual([line, ''])
  const failed: unknown[] = []
  for (const line of lines.filter((one) => !elsewhere.some(([, lines]) => lines.test(one)))) {
    const { status, stderr } = shell(line)
    if (status !== 0) failed.push([line, status, stderr])
  }
  expect(failed).toEqual([])
})

test('nothing is named as tested elsewhere that is not in a page', () => {
  const all = pages.flatMap(commandsIn)
  expect(elsewhere.filter(([, lines]) => !all.some((line) => lines.test(line)))).toEqual([])
})

/** It makes the account itself. */
const first = 'docs/first-server.md'
const base = ['panel accounts create alice --domain alice.example --contact-email alice@mail.example -q > /dev/null']

/** Runs lines as a person types them: in a directory with the files that they name, with passwords on standard input. */
function shellOf({ dir }: ServerProcess, page: string) {
  const work = join(scratch, page.replaceAll('/', '-'))
  makeFiles(work)
  const env = { ...environment(), PANEL_DATA_DIR: dir, PATH: `${join(work, 'bin')}:${process.env['PATH']}`, HOME: work }
  const run = (line: string) => spawnSync('bash', ['-c', line], { cwd: work, env, encoding: 'utf8', input: secret })
  return (line: string) => run(typed(line, (query) => run(query).stdout.split('\n')[0] ?? '', work))
}

const secret = 'correct horse battery'

/** A line as it is typed here: with existing ids, below the scratch directory, with answers to what it would ask. */
function typed(line: string, firstOf: (list: string) => string, work: string): string {
  const [, area = ''] = /panel ([a-z-]+)/.exec(line) ?? []
  const named = line
    .replace('sudo ', '')
    .replace(/(?<=[ "=])\/(?:root|srv|var\/backups)(?=\/)/g, work)
    .replace('"ssh-ed25519 AAAA…"', '"$(cut -d" " -f1,2 id.pub)"')
    .replace('<backup>', () => firstOf('panel backups list-all --search bob -q'))
    .replace(/(?<=csr )ID/, () => firstOf('panel ssl csrs -a alice -q'))
    .replace(example, () => firstOf(lists[area] ?? `panel ${area} list -a alice -q`))
    .replace(/(?<=cron output (\w+)) 01K9ZQ6A\w+/, (_, job) => ` ${firstOf(`panel cron runs ${job} -a alice -q`)}`)
  const confirmed = /\b(delete|uninstall|restore|terminate)\b(?!-as)|--replace|--mode replace|--lost/.test(named)
  const hasPassword = /set-password|email create/.test(named) && !named.includes('--password')
  return `${named}${confirmed && !named.includes('--confirm') ? ' --yes' : ''}${hasPassword ? ' --password-stdin' : ''}`
}

/** The oldest backup: restoring one makes another of what it replaces. */
const lists: Readonly<Record<string, string>> = {
  backups: 'panel backups list -a alice -q | tail -n 1',
  webhooks: 'panel webhooks list -q',
}

/** The program, and the files that pages name. */
function makeFiles(work: string): void {
  mkdirSync(join(work, 'bin'), { recursive: true })
  for (const folder of ['backups', 'srv']) mkdirSync(join(work, folder), { recursive: true })
  writeFileSync(join(work, 'bin/panel'), `#!/bin/sh\nexec ${process.execPath} ${bin} "$@"\n`)
  chmodSync(join(work, 'bin/panel'), 0o755)
  const files = {
    password: secret,
    'index.html': '<h1>hello</h1>',
    'slack-url': 'https://hooks.slack.com/services/T0/B0/x',
    topic: 'panel-alerts',
    token: '123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    chat: '42',
    'cron.php': '<?php\n',
    'dump.sql': 'create table t (a int);\n',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(work, name), text)
  const made = (line: string) => execFileSync('bash', ['-c', line], { cwd: work, stdio: 'pipe' })
  made('ssh-keygen -q -t ed25519 -N "" -f id')
  made("python3 -c \"import zipfile; zipfile.ZipFile('site.zip', 'w').write('index.html')\"")
  made(
    'openssl req -x509 -newkey rsa:2048 -nodes -keyout shop.key -out shop.crt -days 30 -subj /CN=shop.example ' +
      '-addext subjectAltName=DNS:shop.example,DNS:www.shop.example && cp shop.crt chain.crt && ' +
      'openssl req -x509 -newkey rsa:2048 -nodes -keyout new.key -out new.crt -days 30 -subj /CN=shop.example ' +
      '-addext subjectAltName=DNS:shop.example && ' +
      'openssl pkcs12 -export -in new.crt -inkey new.key -passout file:password -out shop.pfx',
  )
}
