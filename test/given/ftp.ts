import { type Given, made } from './index.ts'

export const given: Given = {
  host: { ftp: { logins: [] } },
  async ofAccount(panel, account) {
    const { main_domain } = (await panel.get(`/accounts/${account}`)).body
    const path = `/accounts/${account}/ftp/accounts`
    const { ftp_account } = await made(panel, path, {
      login: `given@${main_domain}`,
      password: 'a password of its own',
    })
    return { '/accounts/{id}/ftp/accounts/{fid}': ftp_account.id }
  },
}
