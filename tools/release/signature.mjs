/** The signature of a release: OpenSSH's, of SHA256SUMS, as git and svc plans have them. SECURITY.md says how it is checked. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const namespace = 'svc-release'

/** `key`: the private key's file, or the public one's when an agent has the other half. */
export function sign(release, key) {
  const input = readFileSync(join(release, 'SHA256SUMS'))
  // From standard input: of a file it would ask before it replaces a signature.
  const signature = execFileSync('ssh-keygen', ['-Y', 'sign', '-f', key, '-n', namespace], {
    input,
  })
  writeFileSync(join(release, 'SHA256SUMS.sig'), signature)
}

/** Throws unless the signature is of SHA256SUMS, and of none that differs in a bit; who signed is for others to judge. */
export function checkSignature(release) {
  const path = join(release, 'SHA256SUMS.sig')
  const verify = (input) =>
    spawnSync('ssh-keygen', ['-Y', 'check-novalidate', '-n', namespace, '-s', path], {
      input,
      encoding: 'utf8',
    })
  const sums = readFileSync(join(release, 'SHA256SUMS'))
  const { status, stdout, stderr } = verify(sums)
  if (status !== 0) throw new Error(stdout + stderr)
  for (let at = 0; at < sums.length; at += 97) {
    const altered = Buffer.from(sums)
    altered[at] ^= 1
    if (verify(altered).status === 0) throw new Error(`with byte ${at} altered it is good too`)
  }
  return stdout.trim()
}
