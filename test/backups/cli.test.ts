import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { localCommands } from '../cli/local.ts'

const { start } = localCommands()

test('manages backups on the command line', { timeout: 60_000 }, async () => {
  const { server, panel, succeeds } = await start()
  await succeeds('accounts create alice --domain alice.example -q')
  const backup = JSON.parse(await succeeds('backups create -a alice --note first -o json'))
  expect(backup).toMatchObject({ status: 'complete', note: 'first' })
  const [heading, row] = (await succeeds('backups list -a alice')).split('\n')
  expect(heading!.split('\t')).toEqual(['id', 'kind', 'status', 'size_bytes', 'created_at', 'note'])
  expect(row).toContain(backup.id)
  for (let n = 0; n < 600; n++)
    writeFileSync(join(server.dir, 'host/home/alice/sites/alice.example', `many-${String(n).padStart(3, '0')}`), '')
  const large = (await succeeds('backups create -a alice -q')).trim()
  const listed = JSON.parse(await succeeds(`backups ls ${large} sites/alice.example -a alice --all -o json`))
  expect(
    listed.map(({ name }: { name: string }) => name).filter((name: string) => name.startsWith('many-')),
  ).toHaveLength(600)
  expect(await succeeds(`backups ls ${large} --part dns -a alice -o name`)).toBe('alice.example\n')
  await succeeds(`backups delete ${large} -a alice --yes -q`)
  const site = join(server.dir, 'host/home/alice/sites/new.php')
  writeFileSync(site, '<?php')
  const requests = await panel(`backups restore ${backup.id} -a alice --parts files`)
  expect([requests.code, readFileSync(site, 'utf8')]).toEqual([6, '<?php'])
  await succeeds(`backups restore ${backup.id} -a alice --parts files --yes -q`)
  expect(() => readFileSync(site)).toThrow('ENOENT')
  expect(JSON.parse(await succeeds('backups set-schedule -a alice --every daily --keep 3 -o json'))).toEqual({
    every: 'daily',
    keep: 3,
  })
  await succeeds(`backups check ${backup.id} -a alice -q`)
  const archive = join(server.dir, 'backups', backup.account_id, backup.id, 'account.json')
  writeFileSync(archive, `${readFileSync(archive, 'utf8')} `)
  const checked = await panel(`backups check ${backup.id} -a alice`)
  expect([checked.code, checked.stdout]).toEqual([1, expect.stringContaining('damaged')])
  expect((await panel(`backups cancel ${backup.id} -a alice`)).code).toBe(5)
  await succeeds(`backups delete ${backup.id} -a alice --yes -q`)
  expect(JSON.parse(await succeeds('backups list-all -o json')).map(({ kind }: { kind: string }) => kind)).toEqual([
    'safety',
  ])
  const others = {
    backup: 'panel backups create',
    restore: 'panel backups restore',
    'backups create': 'panel backup',
    'backups restore': 'panel restore',
  }
  for (const [words, other] of Object.entries(others))
    expect((await succeeds(`${words} --help`)).replaceAll(/\s+/g, ' ')).toContain(other)
})
