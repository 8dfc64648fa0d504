/**
 * How a single executable starts: as `bin/svc.js` does, with the files of the build as its assets. It trusts the certificates of
 * the system, as other programs there do.
 */
const { getRawAsset } = require('node:sea')
const { start } = require('../../bin/svc.js')

/** Node 24 is told by an option in the executable; earlier ones are told when they first use TLS. */
let trustsSystem = process.execArgv.includes('--use-system-ca')

function native(name) {
  const module = require(name)
  if (!trustsSystem && /^(?:node:)?tls$/.test(name)) {
    trustsSystem = true
    module.setDefaultCACertificates([...module.getCACertificates('default'), ...module.getCACertificates('system')])
  }
  return module
}

void start({ read: (name) => Buffer.from(getRawAsset(name)), native, self: [process.execPath] })
