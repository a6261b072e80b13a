import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { noteDomain, RefusedDomains, servePolicy } from '../../../src/host/debian/mail/refused.ts'

test("the domains of refused recipients are noted, and Postfix's own rules decide", async () => {
  const refused = new RefusedDomains()
  const server = createServer((stream) => servePolicy(stream, noteDomain(refused))).listen(0)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const stream = connect((server.address() as { port: number }).port, '127.0.0.1')
  stream.setEncoding('utf8')
  stream.write('request=smtpd_access_policy\nrecipient=info@Shop.example\n\nrequest=smtpd_acc')
  expect(await once(stream, 'data')).toEqual(['action=DUNNO\n\n'])
  stream.write('ess_policy\nsender=x@y.example\nrecipient="a@b"@c.example\n\n')
  expect(await once(stream, 'data')).toEqual(['action=DUNNO\n\n'])
  expect(refused.take()).toEqual(['shop.example', 'c.example'])
  expect(refused.take()).toEqual([])
  for (let n = 0; n < 1001; n++) refused.add(`n${n}.example`)
  expect(refused.take()).toHaveLength(1000)
  const ended = once(stream, 'close')
  stream.write('x'.repeat(70_000))
  await ended
})
