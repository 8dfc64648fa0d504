/** Time, chance and the person are the same on each machine for a real program in an example. */
const crypto = require('node:crypto')
const os = require('node:os')
const now = Number(process.env.NOW)
Date.now = () => now
Math.random = () => 0x7f3a / 0x1_0000
const { randomBytes } = crypto
crypto.randomBytes = (size) => (size === 2 ? Buffer.from('3f9a', 'hex') : randomBytes(size))
const system = os.userInfo()
os.userInfo = () => ({ ...system, username: 'ana' })
os.hostname = () => 'desk'
