/** Time and chance stand still for a real program in an example. */
const now = Number(process.env.NOW)
Date.now = () => now
Math.random = () => 0x7f3a / 0x1_0000
