/**
 * Stands in for OpenSSH's ssh-keygen where there is none: keys and signatures of ed25519, in OpenSSH's own formats, behind the same
 * arguments and exit codes. tools/real/signatures.mjs compares the two.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
} from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const begin = '-----BEGIN SSH SIGNATURE-----\n'
const end = '\n-----END SSH SIGNATURE-----'
const keyType = 'ssh-ed25519'

class Refused extends Error {}

function refuse(why) {
  throw new Refused(why)
}

const string = (bytes) => {
  const data = Buffer.from(bytes)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  return Buffer.concat([length, data])
}

/** Reads the strings of a blob from a place on. */
function reader(blob, start = 0) {
  let at = start
  const take = (count) => {
    if (at + count > blob.length) refuse('the blob is cut')
    return blob.subarray(at, (at += count))
  }
  return { take, string: () => take(take(4).readUInt32BE()), isDone: () => at === blob.length }
}

/** Base64 with blanks in it, and nothing else. */
function decoded(text) {
  const plain = text.replace(/\s/g, '')
  const bytes = Buffer.from(plain, 'base64')
  return bytes.toString('base64') === plain ? bytes : refuse('not base64')
}

function publicKey(blob) {
  const read = reader(blob)
  if (read.string().toString() !== keyType) refuse('another type of key')
  const x = read.string()
  if (x.length !== 32 || !read.isDone()) refuse('not a key')
  return createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url') },
    format: 'jwk',
  })
}

const blobOf = (x) => Buffer.concat([string(keyType), string(x)])
const fingerprint = (blob) =>
  `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`

/** The public and the private half of a key file; of the public half alone, that of the file beside it. */
function readKey(path) {
  const text = readFileSync(path, 'utf8')
  if (!text.startsWith('-----')) {
    const blob = decoded(text.split(' ')[1] ?? '')
    const beside = path.replace(/\.pub$/, '')
    return {
      blob,
      secret: beside !== path && existsSync(beside) ? readKey(beside).secret : undefined,
    }
  }
  const file = reader(decoded(text.split('\n').slice(1, -2).join('')), 'openssh-key-v1\0'.length)
  if (file.string().toString() !== 'none') refuse('a passphrase')
  file.string()
  file.string()
  file.take(4)
  const blob = file.string()
  const inner = reader(file.string(), 8)
  inner.string()
  const x = inner.string()
  const d = inner.string().subarray(0, 32)
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url'), d: d.toString('base64url') }
  return { blob, secret: createPrivateKey({ key: jwk, format: 'jwk' }) }
}

function makeKey(path, comment) {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const [point, seed] = [x, d].map((part) => Buffer.from(part, 'base64url'))
  const secret = [
    string(keyType),
    string(point),
    string(Buffer.concat([seed, point])),
    string(comment),
  ]
  const inner = Buffer.concat([Buffer.alloc(8, 7), ...secret])
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7]).subarray(0, (8 - (inner.length % 8)) % 8)
  const parts = [
    Buffer.from('openssh-key-v1\0'),
    string('none'),
    string('none'),
    string(''),
    Buffer.from([0, 0, 0, 1]),
  ]
  const whole = Buffer.concat([
    ...parts,
    string(blobOf(point)),
    string(Buffer.concat([inner, padding])),
  ])
  const lines = whole.toString('base64').replace(/.{70}/g, '$&\n')
  writeFileSync(
    path,
    `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}\n-----END OPENSSH PRIVATE KEY-----\n`.replace(
      '\n\n',
      '\n',
    ),
    { mode: 0o600 },
  )
  writeFileSync(`${path}.pub`, `${keyType} ${blobOf(point).toString('base64')} ${comment}\n`)
}

const signedText = (namespace, hash, message) =>
  Buffer.concat([
    ...[Buffer.from('SSHSIG'), string(namespace), string(''), string(hash)],
    string(createHash(hash).update(message).digest()),
  ])

function makeSignature(path, namespace, message) {
  const { blob, secret } = readKey(path)
  if (secret === undefined) refuse('no private key')
  const made = Buffer.concat([
    string(keyType),
    string(sign(null, signedText(namespace, 'sha512', message), secret)),
  ])
  const head = [
    Buffer.from('SSHSIG'),
    Buffer.from([0, 0, 0, 1]),
    string(blob),
    string(namespace),
    string(''),
  ]
  const whole = Buffer.concat([...head, string('sha512'), string(made)]).toString('base64')
  return `${begin}${whole.replace(/.{70}(?=.)/g, '$&\n')}${end}\n`
}

/** A signature's key, and a reader of what follows it. To find a principal OpenSSH reads no further than the key. */
function openSignature(path) {
  const text = readFileSync(path, 'latin1')
  const stop = text.indexOf(end, begin.length - 1)
  if (!text.startsWith(begin) || stop < 0) refuse('no signature')
  const read = reader(decoded(text.slice(begin.length, stop)))
  if (read.take(6).toString() !== 'SSHSIG' || read.take(4).readUInt32BE() !== 1)
    refuse('another version')
  const blob = read.string()
  publicKey(blob)
  return { blob, read }
}

function readSignature({ blob, read }) {
  const namespace = read.string().toString('latin1')
  read.string()
  const hash = read.string().toString()
  const made = reader(read.string())
  if (!read.isDone() || !['sha256', 'sha512'].includes(hash)) refuse('another signature')
  if (made.string().toString() !== keyType) refuse('another type of signature')
  const bytes = made.string()
  return made.isDone() ? { blob, namespace, hash, bytes } : refuse('more than a signature')
}

/** The lines of an allowed_signers file that have a key, at a time such as 20260301101500. */
function linesWith(path, blob, time) {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, principal, options = '', key] =
        /^([^\s#]\S*) (?:(\S+) )?ssh-ed25519 (\S+)/.exec(line) ?? []
      if (key === undefined || !decoded(key).equals(blob)) return []
      const value = (name) => {
        const [, quoted, plain] =
          new RegExp(`(?:^|,)${name}=(?:"([^"]*)"|([^",]+))`, 'i').exec(options) ?? []
        return quoted ?? plain
      }
      const [after = '0', before = '9'] = ['valid-after', 'valid-before'].map((name) =>
        value(name)?.padEnd(14, '0'),
      )
      return time >= after && time <= before ? [{ principal, namespaces: value('namespaces') }] : []
    })
}

/** Fingerprints of a key file, or of public keys, a line each; what is no key is passed over. */
function listed(lines, path) {
  if (lines === undefined) return `256 ${fingerprint(readKey(path).blob)} comment (ED25519)\n`
  const found = lines.split('\n').flatMap((line) => {
    const [type, key = '', comment] = line.split(' ')
    try {
      publicKey(decoded(key))
      return type === keyType ? [`256 ${fingerprint(decoded(key))} ${comment} (ED25519)\n`] : []
    } catch (error) {
      if (error instanceof Refused || error instanceof RangeError) return []
      throw error
    }
  })
  return found.length > 0 ? found.join('') : refuse('(stdin) is not a public key file.')
}

/** What it prints; `input` reads standard input. Throws what it says when it refuses. */
export function keygen(all, input) {
  const [first, ...words] = all.filter((word) => word !== '-q')
  const option = (name) => words[words.indexOf(name) + 1]
  if (first === '-t') return makeKey(option('-f'), option('-C'))
  if (first === '-l')
    return listed(option('-f') === '-' ? input().toString() : undefined, option('-f'))
  const [verb] = words
  if (verb === 'sign') {
    return makeSignature(option('-f'), option('-n'), input())
  }
  const opened = openSignature(option('-s'))
  const now = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
  const time =
    words.find((word) => word.startsWith('-Overify-time='))?.slice('-Overify-time='.length) ?? now
  const lines = linesWith(option('-f'), opened.blob, time)
  if (verb === 'find-principals')
    return lines[0] === undefined ? refuse('nobody') : `${lines[0].principal}\n`
  const signature = readSignature(opened)
  const [principal, namespace] = [option('-I'), option('-n')]
  const fits = lines.some(
    (line) =>
      line.principal === principal && (line.namespaces ?? namespace).split(',').includes(namespace),
  )
  const text = signedText(namespace, signature.hash, input())
  const isRight =
    signature.namespace === namespace &&
    verify(null, text, publicKey(signature.blob), signature.bytes)
  if (!fits || !isRight) refuse('Could not verify signature.')
  return `Good "${namespace}" signature for ${principal} with ED25519 key ${fingerprint(signature.blob)}\n`
}

const words = process.argv.slice(2)
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    if (words.includes('sign')) process.stderr.write('Signing data on standard input\n')
    process.stdout.write(keygen(words, () => readFileSync(0)) ?? '')
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 255
  }
}
