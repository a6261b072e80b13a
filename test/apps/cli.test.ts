import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureBuilt, inProcess } from '../cli/run.ts'
import { place, startServer } from '../serve/server.ts'
import { archive, program } from './fixtures.ts'

const home = mkdtempSync(join(tmpdir(), 'panel-apps-'))
beforeAll(ensureBuilt)
afterAll(() => rmSync(home, { recursive: true }))

test('manages apps on the command line', { timeout: 60_000 }, async () => {
  const options = { hostname: 'localhost', port: 0, logLevel: 'silent', trustTenants: true }
  const server = await startServer(place(), options)
  const panel = (words: readonly string[]) => inProcess([...words, '--data-dir', server.dir], { XDG_CONFIG_HOME: home })
  const run = async (line: string, ...more: string[]) => {
    const { code, stdout, stderr } = await panel([...line.split(' '), ...more])
    expect([line, code, stderr]).toEqual([line, 0, expect.any(String)])
    return { out: stdout.trimEnd(), err: stderr }
  }
  const file = join(home, 'site.tar.gz')
  await run('accounts create alice --domain alice.example -q')
  await run('apps create shop -a alice --kind node -q --domain alice.example --start', 'node app.js')
  const [heading, row] = (await run('apps list -a alice')).out.split('\n')
  expect(heading!.split('\t')).toEqual(['name', 'kind', 'status', 'current_release_id', 'updated_at'])
  expect(row).toMatch(/^shop\tnode\tnew\t/)
  await run('apps update shop -a alice -q --build', 'echo built with $MODE')
  const set = await run('apps set-env shop -a alice --set MODE=care -o json')
  expect(JSON.parse(set.out).items).toMatchObject([{ name: 'MODE', value: 'care', secret: false }])
  for (const text of ['v1', 'v2']) {
    writeFileSync(file, archive({ 'app.js': program(text, 'console.log(request.url)') }))
    const deployed = await run(`apps deploy shop -a alice --archive ${file} -o json`)
    expect(deployed.err).toContain('built with care')
    expect(JSON.parse(deployed.out)).toMatchObject({ source: 'archive', status: 'live' })
  }
  const numbers = JSON.parse((await run('apps releases shop -a alice -o json')).out)
  expect(numbers.map((one: { number: number; status: string }) => `${one.number} ${one.status}`)).toEqual([
    '2 live',
    '1 superseded',
  ])
  expect((await run('apps release shop 1 -a alice')).out).toContain('built with care')
  expect(JSON.parse((await run('apps rollback shop 1 -a alice -o json')).out)).toMatchObject({
    number: 1,
    status: 'live',
  })
  expect(JSON.parse((await run('apps rollback shop -a alice -o json')).out)).toMatchObject({
    number: 2,
    status: 'live',
  })
  expect((await run('apps logs shop -a alice')).out).toMatch(/^\/$/m)
  expect((await run('apps stop shop -a alice')).out).toContain('stopped')
  expect((await run('apps start shop -a alice')).out).toContain('running')
  const refused = await panel(['apps', 'delete', 'shop', '-a', 'alice', '--yes'])
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('alice.example shows shop')])
  const both = await panel(['apps', 'deploy', 'shop', '-a', 'alice', '--archive', file, '--ref', 'v2'])
  expect([both.code, both.stderr]).toEqual([1, expect.stringContaining('upload_id')])
  await run('domains update alice.example -a alice -q --handler static')
  await run('domains update alice.example -a alice -q --handler app --app shop')
  await run('domains update alice.example -a alice -q --handler static')
  await run('apps update shop -a alice -q --host-key none --health-path none')
  await run('apps delete shop -a alice --yes -q')
  expect(JSON.parse((await run('apps list -a alice -o json')).out)).toEqual([])
})
