/** A zip, made by code that is not the program's. */
import { crc32, deflateRawSync } from 'node:zlib'

/**
 * Makes a zip of parts by their names, which are ASCII; sizes are below 4 GiB. `time`: as MS-DOS has it. `isBehind`: lengths and checksums stand
 * behind each part, as Excel for the web and Google Sheets write them.
 */
export function zip(parts, { time = 0x210000, isBehind = false } = {}) {
  const bodies = []
  const directory = []
  let offset = 0
  for (const [path, content] of Object.entries(parts)) {
    const [name, bytes] = [Buffer.from(path), Buffer.from(content)]
    const packed = deflateRawSync(bytes)
    const facts = Buffer.alloc(26)
    for (const [at, number] of [20, isBehind ? 0x808 : 0, 8].entries())
      facts.writeUInt16LE(number, 2 * at)
    for (const [at, number] of [time, crc32(bytes), packed.length, bytes.length].entries())
      facts.writeUInt32LE(number, 6 + 4 * at)
    facts.writeUInt16LE(name.length, 22)
    const [before, behind] = isBehind
      ? [
          Buffer.from(facts).fill(0, 10, 22),
          Buffer.concat([Buffer.from('PK\x07\x08'), facts.subarray(10, 22)]),
        ]
      : [facts, Buffer.alloc(0)]
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), before, name, packed, behind])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), facts, rest, name]))
    bodies.push(body)
    offset += body.length
  }
  const index = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  for (const at of [8, 10]) end.writeUInt16LE(directory.length, at)
  end.writeUInt32LE(index.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, index, end])
}
