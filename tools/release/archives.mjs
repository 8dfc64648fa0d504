/** Archives that are the same bytes for the same files: sorted, of nobody, and of the time of the commit. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'

/** `folder`, with its own name in front, as a tar.gz. `time`: in seconds. */
export function writeTar(path, folder, time) {
  const words = ['--sort=name', `--mtime=@${time}`, '--owner=0', '--group=0', '--numeric-owner', '--format=ustar']
  const tar = execFileSync('tar', [...words, '-cf', '-', '-C', dirname(folder), basename(folder)], {
    maxBuffer: 2 ** 31,
  })
  // Node's gzip writes neither a time nor a name.
  writeFileSync(path, gzipSync(tar))
}

/** A date of MS-DOS, in which there is nothing before 1980. */
function dosTime(time) {
  const date = new Date(Math.max(time * 1000, Date.UTC(1980, 0, 1)))
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()
  const clock = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)
  return day * 65_536 + clock
}

/** The same as a zip. Names are ASCII, and sizes are below 4 GiB. */
export function writeZip(path, folder, time) {
  const parts = []
  const directory = []
  let offset = 0
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (statSync(join(folder, name)).isDirectory()) continue
    const bytes = readFileSync(join(folder, name))
    const packed = deflateRawSync(bytes)
    const title = Buffer.from(`${basename(folder)}/${name}`)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(dosTime(time), 6)
    facts.writeUInt32LE(crc32(bytes), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(bytes.length, 18)
    facts.writeUInt16LE(title.length, 22)
    const local = [Buffer.from('PK\x03\x04'), facts, title, packed]
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), facts, rest, title)
    parts.push(...local)
    offset += local.reduce((sum, part) => sum + part.length, 0)
  }
  const index = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  for (const at of [8, 10]) end.writeUInt16LE(directory.length / 4, at)
  end.writeUInt32LE(index.length, 12)
  end.writeUInt32LE(offset, 16)
  writeFileSync(path, Buffer.concat([...parts, index, end]))
}

/** Files by their paths below `folder`; text or bytes. */
export function writeFiles(folder, files) {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content, { mode: 0o644 })
  }
}
