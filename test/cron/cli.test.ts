import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureBuilt, inProcess } from '../cli/run.ts'
import { place, startServer } from '../serve/server.ts'

const home = mkdtempSync(join(tmpdir(), 'panel-cron-'))
beforeAll(ensureBuilt)
afterAll(() => rmSync(home, { recursive: true }))

test('manages cron jobs on the command line', { timeout: 60_000 }, async () => {
  const options = { hostname: 'localhost', port: 0, logLevel: 'silent', trustTenants: true }
  const server = await startServer(place(), options)
  const panel = (words: readonly string[], extra: object = {}) =>
    inProcess([...words, '--data-dir', server.dir], { XDG_CONFIG_HOME: home, ...extra })
  const succeeds = async (line: string, ...more: string[]) => {
    const { code, stdout, stderr } = await panel([...line.split(' '), ...more])
    expect([line, code, stderr]).toEqual([line, 0, expect.any(String)])
    return stdout.trimEnd()
  }
  await succeeds('accounts create alice --domain alice.example -q')
  const job = await succeeds('cron create -a alice -q --schedule', '0 4 * * mon', '--command', 'echo 100%; exit 3')
  const [heading, row] = (await succeeds('cron list -a alice')).split('\n')
  const columns = ['id', 'schedule', 'schedule_description', 'command', 'enabled', 'next_run_at', 'last_run.outcome']
  expect(heading!.split('\t')).toEqual(columns)
  expect(row).toMatch(/^\w{26}\t0 4 \* \* mon\tevery Monday at 4:00\techo 100%; exit 3\ttrue\t20\d\d-/)
  const numbered = await panel(['cron', 'run', '1', '-a', 'alice'])
  const described = `error: 1 is not the id of a job\n  - ${job}: 0 4 * * mon echo 100%; exit 3\n`
  expect([numbered.code, numbered.stderr]).toEqual([3, expect.stringContaining(described)])
  const byCommand = await panel(['cron', 'run', 'echo 100%; exit 3', '-a', 'alice'])
  expect(byCommand.code).toBe(9)
  const failed = await panel(['cron', 'run', job, '-a', 'alice'])
  expect([failed.code, failed.stderr]).toEqual([9, expect.stringContaining('The command exited with code 3.')])
  await succeeds(`cron update ${job} -a alice -q --timeout-s 60 --command`, 'echo 100%; echo again')
  await succeeds(`cron run ${job} -a alice -q`)
  const runs = JSON.parse(await succeeds(`cron runs ${job} -a alice -o json`))
  expect(runs).toMatchObject([
    { trigger: 'manual', outcome: 'succeeded', exit_code: 0 },
    { trigger: 'manual', outcome: 'failed' },
    { trigger: 'manual', outcome: 'failed' },
  ])
  expect(JSON.parse(await succeeds(`cron output ${job} ${runs[0].id} -a alice -o json`)).output).toBe('100%\nagain\n')
  for (const form of ['', ' -o wide']) {
    const text = await succeeds(`cron output ${job} ${runs[0].id} -a alice${form}`)
    expect([text.match(/^id\t.*/gm), text.match(/^outcome\t.*/gm)]).toEqual([
      [`id\t${runs[0].id}`],
      ['outcome\tsucceeded'],
    ])
    expect(text.split('\n\n')[1]).toBe('100%\nagain')
    expect(text.match(/again/g)).toHaveLength(1)
  }
  const refused = await panel(['cron', 'create', '-a', 'alice', '--schedule', '@reboot', '--command', 'true'])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('@hourly')])
  await succeeds(`cron delete ${job} -a alice --yes -q`)
  expect(JSON.parse(await succeeds('cron list -a alice -o json'))).toEqual([])
})
