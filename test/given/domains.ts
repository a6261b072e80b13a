import { type Given, made } from './index.ts'

/** An account comes with a domain. */
export const given: Given = {
  async ofAccount(panel, account) {
    const path = `/accounts/${account}/domains`
    const [domain] = (await panel.get(path)).body.items
    const { redirect } = await made(panel, `${path}/${domain.id}/redirects`, {
      path: '/old',
      target: 'https://new.example/',
    })
    return {
      '/accounts/{id}/domains/{did}': domain.id,
      '/accounts/{id}/domains/{did}/redirects/{rid}': redirect.id,
    }
  },
}
