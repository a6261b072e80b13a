import { expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { formIn, password, textOf, Visitor } from './visitor.ts'

test.each(['constructor', '__proto__', 'toString'])(
  'takes %s, which all objects inherit, as a name like any other',
  async (name) => {
    const panel = await startPanel()
    await panel.account('alice', { password })
    const visitor = await new Visitor(panel).signIn('alice')
    const stranger = new Visitor(panel)
    const zone = '/user/dns/alice.example'
    const { fields } = formIn((await visitor.get(zone)).body, 'changeDnsRecords')
    const typed = (more: Record<string, string>) => visitor.post(zone, { ...Object.fromEntries(fields), ...more })
    const requests = {
      'a language': await stranger.get('/user/login', { 'Accept-Language': name }),
      'a language of a page': await visitor.get('/user/', { 'Accept-Language': `${name}-AT` }),
      'days of usage': await visitor.get(`/user/usage?span=${name}`),
      'days of traffic': await visitor.get(`/user/bandwidth?span=${name}`),
      'a file': await visitor.get(`/user/?file=${name}`),
      'a change of a zone': await typed({ _stage: `${name}:x` }),
      'a type of record': await typed({ _stage: 'add', '_add.type': name, '_add.value': 'x' }),
    }
    const statuses = Object.entries(requests).map(([what, { status }]) => [what, status])
    expect(statuses).toEqual(Object.keys(requests).map((what) => [what, 200]))
    const ended = await stranger.post(
      '/user/cron/new',
      { do: 'createCronJob', csrf_token: 'x', [name]: 'a', [`features.${name}`]: 'b', [`_${name}`]: 'c' },
      { Cookie: '__Host-panel_user=gone' },
    )
    expect([ended.status, textOf(ended.body)]).toEqual([401, expect.stringContaining('Your session has ended')])
  },
)
