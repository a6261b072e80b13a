import { type Given, made } from './index.ts'

export const given: Given = {
  async ofAccount(panel, account) {
    const [certificate] = (await panel.get(`/accounts/${account}/ssl/certificates`)).body.items
    const csr = await made(panel, `/accounts/${account}/ssl/csrs`, { domain_id: certificate.domain_id })
    return { '/accounts/{id}/ssl/certificates/{cid}': certificate.id, '/accounts/{id}/ssl/csrs/{rid}': csr.id }
  },
}
