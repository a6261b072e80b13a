import { z } from 'zod'
import { component } from './common.ts'
import { operation } from './operation.ts'
import { access, area, columns, ended, member, WordpressAccepted } from './wordpress.ts'

export const setWordpressMaintenance = operation({
  id: 'setWordpressMaintenance',
  method: 'put',
  path: '/accounts/{id}/wordpress/{wid}/maintenance',
  area,
  summary: 'Close a WordPress site for maintenance, or open it again',
  description:
    "Writes or removes WordPress's own file `.maintenance`: while it is there, visitors and the site's administration get WordPress's page for maintenance, with the status 503. An update that WordPress itself makes opens the site when it ends.",
  params: member,
  body: component('SetWordpressMaintenance', z.strictObject({ enabled: z.boolean().describe('Whether it is closed') })),
  status: 202,
  answer: WordpressAccepted,
  job: 'wordpress.change',
  emits: ended,
  problems: ['busy', 'suspended'],
  ...access,
  feature: 'wordpress',
  cli: {
    words: ['wordpress', 'maintenance'],
    variant: 'account',
    args: ['enabled'],
    columns,
    show: 'site',
    examples: ['panel wordpress maintenance shop.example true', 'panel wordpress maintenance shop.example false'],
  },
})
