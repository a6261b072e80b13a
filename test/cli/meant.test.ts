import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { localCommands } from './local.ts'
import { hasScript, typed } from './pty.ts'
import { inProcess } from './run.ts'
import { scratchFolder, startServer } from './server.ts'

const local = localCommands()

/** A server with alice, and carol, to whom bob.example belongs. */
async function prepared() {
  const running = await local.start()
  await running.succeeds('accounts create alice --domain alice.example')
  await running.succeeds('accounts create carol --domain carol.example --contact-email owner@mail.example')
  await running.succeeds('domains create bob.example --account carol')
  const json = async (line: string, ...words: string[]) =>
    JSON.parse(await running.succeeds(`${line} -o json`, ...words))
  return { ...running, json }
}

test('the beginning of an id stands for it, from six characters on', async () => {
  const { panel, succeeds, json } = await prepared()
  const [job] = await json('jobs list --limit 1')
  const id = job.id.slice(0, 12)
  expect(await succeeds(`jobs show ${id.toLowerCase()} --columns job.id --no-headers`)).toBe(`${job.id}\n`)
  expect(await succeeds(`jobs logs ${id}`)).toContain(' info ')
  const short = await panel(`jobs show ${job.id.slice(0, 5)}`)
  expect([short.code, short.stderr]).toEqual([3, expect.stringContaining('is not the id of a job')])
  const carol = await json('accounts show carol')
  expect(await succeeds(`accounts show ${carol.id.slice(0, 13)} --columns username --no-headers`)).toBe('carol\n')
})

test('the beginning of several ids is refused with the list', async () => {
  const { panel, json } = await prepared()
  const jobs = (await json('jobs list')) as { id: string; kind: string }[]
  const { code, stderr } = await panel(`jobs show ${jobs[0]!.id.slice(0, 6)}`)
  expect(code).toBe(2)
  expect(stderr).toContain(`${jobs.length} jobs have ids with`)
  for (const { id, kind } of jobs) expect(stderr).toContain(`  - ${id}: ${kind} succeeded\n`)
})

test('a list of cron jobs shows the ids that its other commands take', async () => {
  const { panel, succeeds, json } = await prepared()
  expect((await panel('cron list --account carol')).stderr).toBe('no cron jobs\n')
  await succeeds('cron create --account alice --schedule', '@daily', '--command', 'true')
  const [job] = await json('cron list --account alice')
  expect(await succeeds('cron list --account alice')).toContain(`${job.id}\t@daily\t`)
  await succeeds(`cron delete ${job.id.slice(0, 12)} --account alice --yes`)
})

test('a name that several DNS records have is refused with the list, and nothing is changed', async () => {
  const { panel, succeeds, json } = await prepared()
  await succeeds('dns add-record alice.example www A 192.0.2.91')
  const before = await json('dns records alice.example')
  for (const line of ['delete-record alice.example www --yes', 'update-record alice.example www --ttl 300']) {
    const { code, stderr } = await panel(`dns ${line}`)
    expect([line, code]).toEqual([line, 2])
    expect(stderr).toContain('2 records are called www')
    expect(stderr).toMatch(/ {2}- \w{26}: www A 192\.0\.2\.91\n/)
    expect(stderr).toContain('use an id')
  }
  const at = await panel('dns delete-record alice.example @ --yes')
  expect([at.code, at.stderr]).toEqual([2, expect.stringContaining("name its type too, such as '@ A', or use an id")])
  expect(await json('dns records alice.example')).toEqual(before)
})

test('DNS records of one name are told apart by type and value', async () => {
  const { panel, succeeds, json } = await prepared()
  await succeeds('dns add-record alice.example @ TXT', 'site=1')
  await succeeds('dns update-record alice.example @ MX --ttl 300')
  const records = (await json('dns records alice.example')) as { name: string; type: string; ttl?: number }[]
  expect(records.filter(({ ttl }) => ttl === 300).map(({ name, type }) => [name, type])).toEqual([['@', 'MX']])
  const twice = await panel('dns delete-record alice.example @ TXT --yes')
  expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('2 records are called @ TXT')])
  expect(twice.stderr).toContain('@ TXT "site=1"')
  await succeeds('dns delete-record alice.example --yes', '@ TXT site=1')
  await succeeds('dns delete-record alice.example @ TXT --yes')
  const left = (await json('dns records alice.example --type TXT')) as { name: string }[]
  expect(left.map(({ name }) => name)).not.toContain('@')
})

test('a change shows what it changed', async () => {
  const { panel, succeeds } = await prepared()
  await succeeds('databases create shop -a alice')
  await succeeds('mysql users create app -a alice --password-file /etc/machine-id')
  for (const [line, field, value] of [
    ['accounts update alice --disk-quota-mb 3000', 'disk_quota_mb', '3000'],
    ['resellers create alice', 'username', 'alice'],
    ['resellers update alice --max-disk-mb 20000', 'max_disk_mb', '20000'],
    ['mysql grant alice_shop alice_app -a alice', 'users.privileges', 'ALL'],
    ['tokens create ci --scopes read-only --allowed-ips 192.0.2.7', 'token.allowed_ips', '192.0.2.7'],
    ['dns add-record alice.example mine A 192.0.2.1 --ttl 300', 'ttl', '300'],
  ] as const) {
    const [titles = '', values = ''] = (await succeeds(line)).split('\n')
    expect([line, values.split('\t')[titles.split('\t').indexOf(field)]]).toEqual([line, value])
  }
  expect((await panel('resellers create carol')).stderr).toBe(
    'It has no privileges yet, so it can do nothing. To give it some: panel resellers set-acl carol --acl all\n',
  )
})

test('an account is found by a part of any of its names', async () => {
  const { panel, succeeds } = await prepared()
  await succeeds('email create sales@bob.example --quota-mb 10 --password-file /etc/machine-id')
  for (const part of ['caro', 'OB.exam', 'bob.example', 'owner@mail', 'les@bob'])
    expect(await succeeds(`accounts list --columns username --no-headers --search ${part}`)).toBe('carol\n')
  const none = await panel('accounts list --search nothing')
  expect([none.code, none.stderr]).toEqual([0, 'nothing matches\n'])
  expect((await panel('accounts list --search nothing -o json')).stderr).toBe('')
})

test('a name that no account has leads to whose it is', async () => {
  const { panel } = await prepared()
  const { code, stderr } = await panel('accounts show bob.example')
  expect(code).toBe(3)
  expect(stderr).toBe('error: Not found\n  No such account: bob.example\nhint: bob.example belongs to carol\n')
  const zone = await panel('dns records bob.example -a alice')
  expect([zone.code, zone.stderr]).toEqual([
    3,
    'error: Not found\n  No such zone: bob.example\nhint: bob.example belongs to carol: add -a carol\n',
  ])
  const similar = await panel('lookup bob.ex --kind domain')
  expect(similar.stderr).toBe('no exact match; these begin with it:\n  bob.example (domain of carol)\n')
})

test('an object in a pipe is a line for each field', async () => {
  const { succeeds } = await prepared()
  const lines = (await succeeds('accounts show carol')).split('\n')
  expect(lines).toEqual(
    expect.arrayContaining(['username\tcarol', 'suspend_locked\tfalse', 'contact_email\towner@mail.example']),
  )
})

test('opens the pages as root by a link, and fails without a server', async () => {
  const { server, panel, succeeds } = await prepared()
  expect(await succeeds('open')).toMatch(/^https:\/\/localhost:\d+\/api\/v1\/user\/auth\/sso\?token=[\w-]{43}\n$/)
  expect(await succeeds('open /docs')).toMatch(/^https:\/\/localhost:\d+\/docs\n$/)
  await server.kill('SIGTERM')
  for (const line of ['open', 'open /docs']) {
    const { code, stdout, stderr } = await panel(line)
    expect([code, stdout]).toEqual([7, ''])
    expect(stderr).toMatch(/^error: no server is listening on .*\nhint: start it with /)
  }
})

test('finds the server that runs in ./.panel, if nothing else is named', async () => {
  const clone = realpathSync(scratchFolder())
  mkdirSync(join(clone, '.panel'), { mode: 0o700 })
  await startServer(join(clone, '.panel'))
  const before = process.cwd()
  process.chdir(clone)
  onTestFinished(() => process.chdir(before))
  const run = (env: Record<string, string>) =>
    inProcess(['whoami', '-o', 'json'], { HOME: clone, XDG_DATA_HOME: clone, ...env })
  expect(JSON.parse((await run({ PANEL_DATA_DIR: '' })).stdout)).toMatchObject({
    user: 'root',
    chosen_by: `the local socket ${join(clone, '.panel/panel.sock')}`,
  })
  expect((await run({ PANEL_DATA_DIR: '/nonexistent' })).code).toBe(7)
})

test('login finds out who signs in, by username, domain or contact address', async () => {
  const folder = scratchFolder()
  const { url } = await startServer(folder)
  const run = (line: string, ...more: string[]) =>
    inProcess([...line.split(' '), ...more], { XDG_CONFIG_HOME: folder, PANEL_DATA_DIR: '' })
  const local = (line: string) => run(`${line} --data-dir ${folder}`)
  const created = await local(
    'accounts create carol --domain carol.example --contact-email c@mail.example --password-file /etc/machine-id',
  )
  expect(created.code).toBe(0)
  await local('accounts create dave --domain dave.example --password-file /etc/machine-id')
  await local('resellers create dave --acl all')
  const certificate = { PANEL_CACERT: join(folder, 'tls/cert.pem') }
  for (const [name, user, kind] of [
    ['carol', 'carol', 'customer'],
    ['carol.example', 'carol', 'customer'],
    ['c@mail.example', 'carol', 'customer'],
    ['dave', 'dave', 'reseller'],
  ]) {
    const words = `login ${url} --username ${name} --password-file /etc/machine-id`.split(' ')
    const { code, stderr } = await inProcess(words, { XDG_CONFIG_HOME: folder, ...certificate })
    expect([name, code, stderr]).toEqual([name, 0, expect.stringContaining(` as ${user}.`)])
    const who = JSON.parse((await inProcess(['whoami', '-o', 'json'], { XDG_CONFIG_HOME: folder })).stdout)
    expect([name, who.user, who.kind]).toEqual([name, user, kind])
  }
  const wrong = await inProcess(`login ${url} --username carol --password-file /etc/hostname`.split(' '), {
    XDG_CONFIG_HOME: folder,
    ...certificate,
  })
  expect([wrong.code, wrong.stderr]).toEqual([
    4,
    expect.stringContaining('a domain of the account, or its contact address'),
  ])
})

test('takes what people type: sizes, names without the prefix, options of others', async () => {
  const { panel, succeeds, json } = await prepared()
  const hint = async (line: string) => (await panel(line)).stderr.split('\n')[1]
  expect(await hint('accounts create eve --email a@b.example')).toBe('hint: did you mean --contact-email?')
  expect(await hint('accounts create eve eve.example')).toBe('hint: the domain is given as --domain')
  expect(await hint('apps update shop --domain x.example')).toContain('panel domains update DOMAIN --app APP')
  await succeeds('accounts update alice --disk-quota-mb 2G')
  expect((await json('accounts show alice')).disk_quota_mb).toBe(2048)
  expect(await succeeds('accounts update alice --disk-quota-mb 1.5G --no-headers')).toMatch(/\t1536\n$/)
  expect((await panel('accounts update alice --disk-quota-mb 2X')).code).toBe(2)
  await succeeds('databases create shop -a alice')
  await succeeds('db list -a alice')
  await succeeds('mysql users create shop -a alice --password-file /etc/machine-id')
  expect((await json('mysql databases show shop -a alice')).name).toBe('alice_shop')
  await succeeds('email forwarders create info@alice.example --to a@b.example')
  expect(await json('email forwarders show info@alice.example')).toMatchObject({ destinations: ['a@b.example'] })
  const plan = await json('domains update alice.example --dry-run --app 01K9ZQ5T3M8V4X7C2B6N1D0FGH')
  expect(plan.body).toEqual({ app_id: '01K9ZQ5T3M8V4X7C2B6N1D0FGH', handler: 'app' })
})

test('the audit trail says what a change changed, and takes the name of who made it', async () => {
  const { succeeds } = await prepared()
  await succeeds('accounts update alice --disk-quota-mb 2000')
  await succeeds('accounts update alice --disk-quota-mb 3000')
  const lines = (await succeeds('audit list --actor root --username alice --since 1h')).split('\n')
  expect(lines[0]).toBe('at\tactor.name\toperation\tusername\tchanges')
  expect(lines[1]).toMatch(/\troot\tupdateAccount\talice\tdisk quota 2000 → 3000 MB$/)
  await succeeds('accounts update alice --disk-quota-mb unlimited')
  const changes = async (line: string) => (await succeeds(`audit list --columns changes --no-headers ${line}`)).trim()
  expect(await changes('--username alice --limit 1')).toBe('disk quota 3000 MB → unlimited')
  await succeeds('accounts update alice --disk-quota-mb 500')
  expect(await changes('--username alice --limit 1')).toBe('disk quota unlimited → 500 MB')
  await succeeds('tokens create robot --scopes read-only')
  expect(await changes('--limit 1')).toBe('name robot, scopes read-only')
})

test('events are listed newest first, and from a cursor on oldest first', async () => {
  const { succeeds } = await prepared()
  const seqs = async (line: string) =>
    (await succeeds(`events list --columns seq --no-headers ${line}`)).trim().split('\n').map(Number)
  const newest = await seqs('--limit 3')
  expect(newest).toEqual([newest[0], newest[0]! - 1, newest[0]! - 2])
  expect(await seqs('--after 1 --limit 2')).toEqual([2, 3])
  expect((await seqs('--all')).at(-1)).toBe(1)
})

test('a self-signed certificate is never valid in a table', async () => {
  const { succeeds, json } = await prepared()
  const [cell] = (await succeeds('domains list --account carol --columns certificate.status --no-headers')).split('\n')
  expect(cell).toBe('self-signed')
  expect(await succeeds('ssl list --account carol')).toMatch(/\tself-signed\t/)
  expect(await succeeds('ssl list --account carol')).not.toContain('\tvalid\t')
  const [certificate] = await json('ssl list --account carol')
  expect(certificate.status).toBe('valid')
})

describe.runIf(hasScript)('on a terminal', () => {
  const onTerminal = async (line: string, env: Record<string, string> = {}) => {
    const { server } = await prepared()
    return typed(`${line} --data-dir ${server.dir}`, { XDG_CONFIG_HOME: local.home, ...env })
  }

  test('a dry run says what would change', async () => {
    const update = await onTerminal(
      'accounts update carol --disk-quota-mb 3000 --contact-email owner@mail.example --dry-run',
    )
    expect(update.text).toBe(
      'would leave contact_email at owner@mail.example\nwould change disk_quota_mb from unlimited to 3000\nNothing was sent.\n',
    )
    const { text } = await onTerminal('packages create small --disk-quota-mb 500 --dry-run')
    expect(text).toBe('would send POST /api/v1/packages\n  name: small\n  disk_quota_mb: 500\nNothing was sent.\n')
    const { text: document } = await onTerminal('packages create small --dry-run -o json')
    expect(JSON.parse(document)).toEqual({ method: 'POST', path: '/api/v1/packages', body: { name: 'small' } })
  })

  test('a dry run of an import counts its lines, and names what compares them', async () => {
    const { server } = await prepared()
    const file = join(server.dir, 'alice.zone')
    writeFileSync(file, '@ 3600 IN A 192.0.2.1\nwww 3600 IN A 192.0.2.2\n')
    const { text } = await onTerminal(`dns import alice.example ${file} --dry-run`)
    expect(text).toMatch(/^would send POST \/api\/v1\/accounts\/\w+\/dns\/zones\/\w+\/import\n {2}zone_file: 2 lines\n/)
    expect(text).toContain('to see which records would change: panel dns compare ZONE FILE')
  })

  test('ids of one millisecond are listed by their ends, which commands take, and tokens with their addresses', async () => {
    const { server, succeeds } = await prepared()
    const at = async (line: string) =>
      (await typed(`${line} --data-dir ${server.dir}`, { XDG_CONFIG_HOME: local.home })).text
    const text = await at('dns records alice.example')
    expect(text).toMatch(/^ID +NAME +TYPE +VALUE /m)
    const [www] = /^…\w{6}(?= +www )/m.exec(text)!
    expect(await at(`dns show-record alice.example ${www}`)).toMatch(/^NAME +www$/m)
    expect(await at(`dns show-record alice.example ${www.replace('…', '...')}`)).toMatch(/^NAME +www$/m)
    expect(await at(`dns show-record alice.example ${www.slice(1).toLowerCase()}`)).toMatch(/^NAME +www$/m)
    expect(await at('dns show-record alice.example …ZZZZZZ')).toContain('No such record: …ZZZZZZ')
    await succeeds('tokens create fixed --scopes read-only --allowed-ips 203.0.113.9')
    expect(await at('tokens list')).toMatch(/ALLOWED IPS[\s\S]*fixed .* 203\.0\.113\.9 /)
  })

  test('a test of a webhook says where its outcome is', async () => {
    const { server, succeeds } = await prepared()
    const at = (line: string) => typed(`${line} --data-dir ${server.dir}`, { XDG_CONFIG_HOME: local.home })
    for (const account of ['', ' -a alice']) {
      const id = (await succeeds(`webhooks create https://hooks.example/x -q${account}`)).trim()
      const { text } = await at(`webhooks test ${id}${account}`)
      expect(text).toContain(`What came of it: panel webhooks deliveries ${id}${account && ', for the same account'}\n`)
      expect((await succeeds(`webhooks deliveries ${id}${account}`)).split('\n')[1]).toContain('webhook.ping')
    }
  })

  test('long output goes through the pager, short output does not', async () => {
    const paged = { PAGER: "sed 's/^/|/'" }
    expect((await onTerminal('help', paged)).text).toMatch(/^\|Usage: panel/)
    expect((await onTerminal('version', paged)).text).toMatch(/^\d/)
    expect((await onTerminal('help', { PAGER: 'no-such-pager' })).text).toContain('Usage: panel')
    expect((await onTerminal('help', { ...paged, PANEL_PAGER: 'cat' })).text).toMatch(/^Usage/)
    expect((await onTerminal('help', { ...paged, PANEL_NO_INPUT: '1' })).text).toMatch(/^Usage/)
  })

  test('a self-signed certificate is not green', async () => {
    const { server } = await prepared()
    const line = `ssl list --account carol --data-dir ${server.dir}`
    expect((await typed(line, { XDG_CONFIG_HOME: local.home })).text).toContain('self-signed')
  })
})

test('a pager is never started in a pipe', async () => {
  const { stdout } = await inProcess(['help', 'output'], { PAGER: "sed 's/^/|/'" })
  expect(stdout).toMatch(/^Standard output/)
})
