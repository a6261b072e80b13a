import { expect, test } from 'vitest'
import type { Run } from '../../src/host/debian/commands.ts'
import { inSlice } from '../../src/host/debian/db/content/confine.ts'

test('the client of a restore runs in the slice of the account, as no user of the account, without its password in view', () => {
  const ran: (readonly string[])[] = []
  const run: Run = async (_, args) => {
    ran.push(args)
    return ''
  }
  const { program, args, env, first, end } = inSlice(run)('bob', ['/usr/bin/mariadb', '--batch'], 'canary-77')
  expect(program).toBe('/usr/bin/systemd-run')
  expect(args).toEqual(expect.arrayContaining(['--slice=panel-bob.slice', '--property=DynamicUser=yes']))
  expect(args.some((word) => /^--[ug]id=/.test(word))).toBe(false)
  expect([args.join(' ').includes('canary-77'), env, first]).toEqual([false, undefined, 'canary-77\n'])
  expect(args.slice(-2)).toEqual(['/usr/bin/mariadb', '--batch'])
  end?.()
  const unit = args.find((word) => word.startsWith('--unit='))!.slice('--unit='.length)
  expect(ran).toEqual([['kill', '--kill-whom=all', '--signal=KILL', unit]])
})
