import { checkHtaccess, listAllDomains, listDomains } from '../../contract/domains.ts'
import { CertificateChip } from '../../web/kit/components/certificate.tsx'
import { crud } from '../../web/kit/crud.ts'
import { count } from '../../web/kit/format/format.ts'
import { t } from '../../web/kit/i18n/i18n.ts'
import type { Looks, Screen } from '../../web/kit/screen.ts'
import { accessPage, PASSWORD_FIELD, toAccess } from './views/access.tsx'
import { domainPage } from './views/domain.tsx'
import { allowButton, hitsPage } from './views/hits.tsx'

const looks: Looks = {
  'certificate.status': { cell: ({ certificate }) => <CertificateChip certificate={certificate} /> },
}

const { columns } = listDomains.cli
const { columns: allColumns } = listAllDomains.cli

export const screens: readonly Screen[] = [
  ...crud('listDomains', {
    path: '/domains',
    title: 'Domains',
    one: 'domain',
    member: 'domain',
    name: 'name',
    nav: { group: 'main', order: 10 },
    find: ['site', 'subdomain', 'addon', 'parked', 'alias'],
    empty: 'A domain shows a site, and has mail and DNS records.',
    keeps: ({ data: { kind }, sections: { mailboxes } }) =>
      kind === 'main'
        ? t('The main domain cannot be deleted: it goes with its account.')
        : mailboxes?.total > 0
          ? t('It can be deleted once it has no mailboxes: it has {count}.', { count: count(mailboxes.total) })
          : undefined,
    deletes: ({ sections }) => [
      'Its DNS zone or records and its certificate go with it.',
      t('Redirects that go with it: {count}.', { count: count(sections['redirects']?.items.length ?? 0) }),
      'Its files stay.',
    ],
    columns: [...columns, 'verified'],
    looks,
    primary: ['kind', 'document_root', 'handler'],
    // The heading has the name and the certificate, the forms what can be changed.
    hidden: [
      'access',
      'name',
      'https_redirect',
      'security_headers',
      'verified_by',
      'verified_at',
      'updated_at',
      'autossl.enabled',
      'autossl.challenge',
      'autossl.last_attempt_at',
      'certificate.kind',
      'certificate.not_after',
      'certificate.trusted',
      'certificate.status',
      'verification.reason',
      'verification.record.name',
      'verification.record.type',
      'verification.record.value',
      'verification.found.ns',
      'verification.found.mx',
      'verification.found.addresses',
    ],
    views: { one: domainPage },
    acts: {
      updateDomain: {
        done: 'Domain changed.',
        ofRoot: ['nginx_include'],
        omits: ['access'],
        primary: ['document_root', 'handler', 'app_id', 'https_redirect', 'php_version'],
      },
      verifyDomain: {
        done: 'The name is being looked at.',
        label: 'Look again',
        when: ({ data }) => data.verified === false,
      },
      createPreview: {
        done: 'The preview is being made.',
        label: 'Preview',
        title: 'Preview',
        when: ({ data }) => !data.name.startsWith('*.'),
      },
      deletePreview: {
        done: 'The preview has ended.',
        label: 'End the preview',
        when: ({ sections }) => sections['preview'] !== undefined,
      },
      setAutossl: {
        done: 'Automatic certificates changed.',
        title: 'Automatic certificates',
        value: ({ autossl }) => autossl,
      },
      setDomainVerified: {
        done: 'Verification changed.',
        title: 'Verification',
        when: ({ data }) => data.kind !== 'sub',
      },
    },
    sections: {
      mailboxes: {
        run: 'listMailboxes',
        query: ({ name }) => ({ domain: name, per_page: '1' }),
        fields: ['id'],
        quiet: true,
      },
      preview: { run: 'getPreview', quiet: true },
      redirects: {
        run: 'listRedirects',
        title: 'Redirects',
        columns: ['path', 'match', 'target', 'status'],
        all: '/domains/{domain}/redirects',
      },
    },
  }),
  ...crud('listRedirects', {
    path: '/domains/{domain}/redirects',
    title: 'Redirects',
    one: 'redirect',
    member: 'redirect',
    name: 'path',
    columns: ['path', 'match', 'target', 'status', 'keep_path'],
    empty: 'A redirect sends visitors of a path to another address.',
    deletes: ['Visitors of the path see the site again.'],
    back: {
      op: 'createRedirect',
      at: '/domains/{domain}/redirects/new',
      fields: ['path', 'target', 'match', 'status', 'keep_path'],
    },
  }),
  ...crud('listWafExceptions', {
    path: '/domains/{domain}/waf',
    title: 'Exceptions of the firewall',
    one: 'exception',
    member: 'exception',
    name: 'rule_id',
    columns: ['rule_id', 'path', 'parameter', 'created_at'],
    empty: 'An exception lets pass what a rule of the firewall takes for an attack.',
    deletes: ['Its rule applies again.'],
    back: { op: 'createWafException', at: '/domains/{domain}/waf/new', fields: ['rule_id', 'path', 'parameter'] },
  }),
  {
    path: '/domains/{domain}/waf/hits',
    title: 'Found by the firewall',
    within: 'domains',
    shows: 'listWafHits',
    columns: ['at', 'address', 'path', 'rule_id', 'message', 'action'],
    view: hitsPage,
    rowEnd: allowButton,
    lead: 'If a visitor was mistaken for an attacker, allow the rule there.',
    empty: 'Nothing was found in the last 14 days.',
  },
  {
    path: '/domains/{domain}/access',
    title: 'Access rules',
    within: 'domains',
    shows: 'getDomain',
    view: accessPage,
    acts: {
      updateDomain: {
        done: 'Access rules saved.',
        label: 'Save the rule',
        only: [],
        toBody: toAccess,
        secrets: [PASSWORD_FIELD],
      },
    },
  },
  {
    path: '/domains/{domain}/htaccess',
    title: '.htaccess files',
    within: 'domains',
    shows: 'checkHtaccess',
    columns: checkHtaccess.cli.columns,
    empty: 'The site has no .htaccess files.',
  },
  {
    path: '/domains',
    title: 'Domains',
    shows: 'listAllDomains',
    columns: [...allColumns.filter((name) => name !== 'document_root'), 'verified'],
    looks,
    nav: { group: 'main', order: 20, beside: ['/wordpress'] },
    to: '/accounts/{username}/domains/{name}',
    empty:
      'Here are the domains of all accounts. The first comes with the first account: create one on the page "Accounts".',
  },
]
