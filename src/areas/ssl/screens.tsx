import { CertificateChip } from '../../web/kit/components/certificate.tsx'
import { crud } from '../../web/kit/crud.ts'
import type { Screen } from '../../web/kit/screen.ts'
import { certificatePage, installPage, newPage } from './views/install.tsx'
import { issuePage } from './views/issue.tsx'

/** Its form takes files, and the password of one. */
const files = { secrets: ['password'], certificateFiles: true } as const

/** The form of a new one takes files too. */
function withFiles(screen: Screen): Screen {
  const { installCertificate: install } = screen.acts ?? {}
  return install ? { ...screen, acts: { installCertificate: { ...install, ...files, to: '/ssl/{domain}' } } } : screen
}

export const screens: readonly Screen[] = [
  ...crud('listCertificates', {
    path: '/ssl',
    title: 'Certificates',
    one: 'certificate',
    member: 'certificate',
    nav: { group: 'main', order: 30, label: 'Certificates', beside: ['/ssl/issue', '/ssl/requests'] },
    find: ['https', 'tls', 'letsencrypt', 'acme', 'pfx', 'p12', 'pkcs12'],
    add: 'Install a certificate',
    made: 'installed',
    empty:
      'A certificate lets browsers reach a site by https. It is issued automatically for each domain that points here.',
    deletes: ['The domain is served with a self-signed certificate until it has another.'],
    looks: { status: { cell: (item) => <CertificateChip certificate={item} /> } },
    views: { one: certificatePage, add: newPage },
  }).map(withFiles),
  {
    path: '/ssl/{certificate}/install',
    title: 'Install a certificate',
    shows: 'getCertificate',
    view: installPage,
    acts: {
      installCertificate: {
        done: 'Certificate installed.',
        label: 'Install the certificate',
        to: '/ssl/{certificate}',
        ...files,
      },
    },
  },
  {
    path: '/ssl/issue',
    title: 'Issue certificate',
    shows: 'issueCertificate',
    view: issuePage,
    find: ['renew'],
    acts: {
      issueCertificate: {
        done: 'The certificate was asked for.',
        label: 'Issue certificate',
        to: '/ssl',
        primary: ['domain_id'],
      },
    },
  },
  ...crud('listCsrs', {
    path: '/ssl/requests',
    title: 'Signing requests',
    one: 'signing request',
    member: 'csr',
    columns: ['domain', 'names', 'key_type', 'created_at'],
    add: 'Make a signing request',
    primary: ['domain_id', 'names', 'organization', 'country'],
    empty: 'A signing request asks an authority of your choice for a certificate. Its key stays here.',
    deletes: ['Its key is deleted: a certificate that is made of it cannot be installed.'],
  }),
]
