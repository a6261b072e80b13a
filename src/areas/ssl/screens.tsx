import { CertificateChip } from '../../web/kit/components/certificate.tsx'
import { crud } from '../../web/kit/crud.ts'
import type { Screen } from '../../web/kit/screen.ts'
import { filePage } from './views/file.tsx'
import { certificatePage, installPage } from './views/install.tsx'

export const screens: readonly Screen[] = [
  ...crud('listCertificates', {
    path: '/ssl',
    title: 'Certificates',
    one: 'certificate',
    member: 'certificate',
    nav: { group: 'main', order: 30, label: 'Certificates', beside: ['/ssl/file', '/ssl/issue', '/ssl/requests'] },
    find: ['https', 'tls', 'letsencrypt', 'acme'],
    add: 'Install a certificate',
    made: 'installed',
    empty:
      'A certificate lets browsers reach a site by https. It is issued automatically for each domain that points here.',
    deletes: ['The domain is served with a self-signed certificate until it has another.'],
    looks: { status: { cell: (item) => <CertificateChip certificate={item} /> } },
    views: { one: certificatePage },
  }),
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
      },
    },
  },
  {
    path: '/ssl/file',
    title: 'Install from a file',
    shows: 'installCertificate',
    find: ['pfx', 'p12', 'pkcs12'],
    view: filePage,
    acts: {
      installCertificate: {
        done: 'Certificate installed.',
        label: 'Install the certificate',
        to: '/ssl/{domain}',
        secrets: ['password'],
        certificateFile: true,
      },
    },
  },
  {
    path: '/ssl/issue',
    title: 'Issue certificate',
    shows: 'issueCertificate',
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
