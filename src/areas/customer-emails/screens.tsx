import type { Screen } from '../../web/kit/screen.ts'
import { preferencesIn, preferencesPage } from './views/preferences.tsx'
import { preview, templatePage } from './views/template.tsx'

export const screens: readonly Screen[] = [
  {
    path: '/email-templates',
    title: 'Emails to customers',
    shows: 'listEmailTemplates',
    columns: ['kind', 'locale', 'subject', 'source', 'updated_at'],
    name: 'kind',
    to: '/email-templates/{kind}/{locale}',
    nav: { group: 'server', order: 75 },
    find: ['templates', 'letters', 'welcome'],
    lead: 'Texts of the mail that customers get. Which of it is sent is a setting, and a choice of each package.',
  },
  {
    path: '/email-templates/{kind}/{locale}',
    title: 'Email to customers',
    shows: 'listEmailTemplates',
    view: templatePage,
    acts: {
      setEmailTemplate: { done: 'Text changed.', label: 'Save' },
      previewEmailTemplate: { done: 'Preview', label: 'Preview', result: preview },
      deleteEmailTemplate: {
        done: 'Text deleted.',
        label: 'Delete your own text',
        to: '/email-templates',
        confirm: ['The text that comes with the panel is used again, or that of the server.'],
      },
    },
  },
  {
    path: '/notification-preferences',
    title: 'Emails to the account',
    shows: 'getNotificationPreferences',
    find: ['newsletter', 'digest', 'unsubscribe'],
    hidden: ['off'],
    view: preferencesPage,
    acts: { setNotificationPreferences: { done: 'Choice saved.', toBody: preferencesIn } },
  },
]
