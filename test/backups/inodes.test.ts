import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../harness.ts'
import { withHome } from './fixtures.ts'

const touch = (time: string, path: string) => execFileSync('touch', ['-d', time, path])
const ns = (path: string): bigint => statSync(path, { bigint: true }).mtimeNs

async function restored(paths: readonly string[], prepare: (home: string) => void) {
  const { panel, alice, home, made } = await withHome()
  mkdirSync(join(home, 'snap/1'), { recursive: true })
  prepare(home)
  const { id } = await made({ parts: ['files'] })
  const body = { paths, to: 'again', safety: false }
  const { job_id } = (await panel.post(`/accounts/${alice.id}/backups/${id}/restore`, body)).body
  await panel.settle()
  const { job }: Json = (await panel.get(`/jobs/${job_id}`)).body
  expect([job.status, job.error]).toEqual(['succeeded', undefined])
  return join(home, 'again')
}

test('hard links stay hard links', async () => {
  const again = await restored(['./snap/'], (home) => {
    writeFileSync(join(home, 'snap/1/big'), Buffer.alloc(1_000_000, 'x'))
    for (const n of [2, 3]) {
      mkdirSync(join(home, `snap/${n}`))
      linkSync(join(home, 'snap/1/big'), join(home, `snap/${n}/big`))
    }
  })
  const [one, two, three] = [1, 2, 3].map((n) => statSync(join(again, `snap/${n}/big`)))
  expect([one!.nlink, one!.ino === two!.ino, one!.ino === three!.ino]).toEqual([3, true, true])
})

test('a further name is restored without the first, with its content, and once', async () => {
  const again = await restored(['snap/2', 'snap/3'], (home) => {
    writeFileSync(join(home, 'snap/1/big'), 'content')
    for (const n of [2, 3]) {
      mkdirSync(join(home, `snap/${n}`))
      linkSync(join(home, 'snap/1/big'), join(home, `snap/${n}/big`))
    }
  })
  expect(readFileSync(join(again, 'snap/2/big'), 'utf8')).toBe('content')
  expect(statSync(join(again, 'snap/2/big')).ino).toBe(statSync(join(again, 'snap/3/big')).ino)
})

test('setgid, times before 1970 and fractions of seconds are kept', async () => {
  let before: bigint[] = []
  const names = ['old', 'exact', 'whole', 'before']
  const again = await restored(['snap'], (home) => {
    const at = (name: string) => join(home, 'snap', name)
    for (const name of names) writeFileSync(at(name), name)
    mkdirSync(at('shared'))
    execFileSync('chmod', ['2775', at('shared')])
    touch('1969-07-20 20:17:40 UTC', at('old'))
    touch('1965-03-18 08:34:51.25 UTC', at('before'))
    touch('2001-02-03 04:05:06.789012 UTC', at('exact'))
    utimesSync(at('whole'), 1_700_000_000, 1_700_000_000)
    touch('2002-03-04 05:06:07.5 UTC', at('shared'))
    before = [...names, 'shared'].map((name) => ns(at(name)))
  })
  const after = [...names, 'shared'].map((name) => ns(join(again, 'snap', name)))
  expect(after.map((time) => time / 1000n)).toEqual(before.map((time) => time / 1000n))
  expect(statSync(join(again, 'snap/shared')).mode & 0o7777).toBe(0o2775)
})
