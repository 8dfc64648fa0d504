/** Whether an executable trusts an authority of one's own as soon as the system does, and not before. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { start } from '../../harness/processes.mjs'
import { run } from '../../harness/tool.mjs'

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** The path of the authority's certificate, and a server that has one by it. */
async function startServer(folder) {
  const openssl = (...words) => run('openssl', words, { cwd: folder })
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-days',
    '2',
    '-subj',
    '/CN=Own authority',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
  )
  openssl('req', ...newKey, '-subj', '/CN=service', '-keyout', 'key.pem', '-out', 'request.pem')
  writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1\n')
  const by = [
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-days',
    '2',
    '-extfile',
    'names',
  ]
  openssl('x509', '-req', '-in', 'request.pem', ...by, '-out', 'certificate.pem')
  const read = (name) => readFileSync(join(folder, name))
  const server = createServer(
    { cert: read('certificate.pem'), key: read('key.pem') },
    (_request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end('{"data":[]}')
    },
  )
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { authority: join(folder, 'ca.pem'), server }
}

/** Puts a certificate into the store of a folder that is the root for a program, as `update-ca-certificates` does. */
export function trustInRoot(place) {
  return (authority) => {
    const store = join(place, 'etc/ssl/certs')
    mkdirSync(store, { recursive: true })
    copyFileSync(authority, join(store, 'own.pem'))
    run('openssl', ['rehash', store])
    return { by: '/etc/ssl/certs' }
  }
}

/** For a program that runs in a root which is this machine's own. */
export const trustByVariable = (authority) => ({
  by: 'SSL_CERT_FILE',
  env: { SSL_CERT_FILE: authority },
})

/** Puts it among the roots of the user, as Windows keeps them: `runner` starts programs of Windows. */
export function trustInRegistry({ words: [wine], env: its }) {
  return (authority) => {
    const bytes = run('openssl', ['x509', '-in', authority, '-outform', 'der'], {
      encoding: 'buffer',
    })
    const said = run('openssl', ['x509', '-in', authority, '-noout', '-fingerprint', '-sha1'])
    const print = said.replace(/^.*=/, '').replaceAll(/[:\s]/g, '')
    // A property: which one (32 is the certificate), 1, and how long.
    const head = Buffer.alloc(12)
    for (const [i, number] of [32, 1, bytes.length].entries()) head.writeUInt32LE(number, 4 * i)
    const key = `HKCU\\Software\\Microsoft\\SystemCertificates\\Root\\Certificates\\${print}`
    const value = [
      '/v',
      'Blob',
      '/t',
      'REG_BINARY',
      '/d',
      Buffer.concat([head, bytes]).toString('hex'),
    ]
    const registry = (...words) =>
      run(wine, ['reg', ...words, '/f'], { env: { ...process.env, ...its }, stdio: 'ignore' })
    registry('add', key, ...value)
    return { by: "the user's root certificates", undo: () => registry('delete', key) }
  }
}

/** `command`: the words that start svc. `trust`: makes the system trust a file, and tells how it was done. */
export async function tryCertificate(command, folder, trust) {
  const { authority, server } = await startServer(mkdtempSync(join(folder, 'certificates-')))
  const {
    NODE_EXTRA_CA_CERTS: _own,
    SSL_CERT_FILE: _file,
    SSL_CERT_DIR: _folder,
    ...rest
  } = process.env
  const address = { SVC_BASE_URL: `https://127.0.0.1:${server.address().port}` }
  const env = {
    ...rest,
    ...address,
    SVC_API_KEY: 'some-key',
    SVC_API_SECRET: 'some-secret',
    HOME: folder,
  }
  const [program, ...words] = [...command, 'employees', 'list']
  const list = (more) => start(program, words, { env: { ...env, ...more } }).ended
  try {
    const before = await list()
    if (before.code !== 7 || !before.stderr.includes('name its CA file as caFile in the profile'))
      throw new Error(`a certificate by nobody known: exit ${before.code}: ${before.stderr}`)
    const { by, env: more, undo } = trust(authority)
    try {
      const after = await list(more)
      if (after.code !== 0) throw new Error(`trusted by ${by}: exit ${after.code}: ${after.stderr}`)
    } finally {
      undo?.()
    }
    return `refused with what helps; trusted by ${by}`
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
