import { type Given, made } from './index.ts'

export const given: Given = {
  host: { mail: { spamFilter: true, spamBox: true, spamScore: 6, domains: [] } },
  async ofAccount(panel, account) {
    const { items } = (await panel.get(`/accounts/${account}/domains`)).body
    const address = `one@${items[0].name}`
    const { mailbox } = await made(panel, `/accounts/${account}/email/accounts`, { address, password: 'correct horse' })
    const away = { subject: 'Away', body: 'Soon.' }
    await panel.put(`/accounts/${account}/email/accounts/${mailbox.id}/autoresponder`, away)
    const { forwarder } = await made(panel, `/accounts/${account}/email/forwarders`, {
      address: `two@${items[0].name}`,
      destinations: ['one@ext.example'],
    })
    return {
      '/accounts/{id}/email/accounts/{mid}': mailbox.id,
      '/accounts/{id}/email/forwarders/{fid}': forwarder.id,
      '/accounts/{id}/email/domains/{did}': items[0].id,
    }
  },
}
