// Ends the process on a Node.js that package.json does not accept. Runs before anything is built, loaded or written, so it is in
// syntax that old releases parse, and needs no package.
var engines = require('../package.json').engines.node;

/** "^20.19.0 || >=24.11.0" as numbers: whether newer major versions are accepted too, and the three parts. */
var ranges = engines.split(' || ').map(function (range) {
  return { open: range.startsWith('>='), from: range.replace(/^\D+/, '').split('.').map(Number) };
});

function accepts(version) {
  var parts = version.split('.').map(parseFloat);
  return ranges.some(function (range) {
    if (parts[0] !== range.from[0]) return range.open && parts[0] > range.from[0];
    return parts[1] !== range.from[1] ? parts[1] > range.from[1] : parts[2] >= range.from[2];
  });
}

if (accepts(process.versions.node)) return;
var wanted = ranges.map(function (range) {
  var from = range.from.slice(0, 2).join('.');
  return range.open ? from + ' or newer' : from + ' or a newer ' + range.from[0];
});
console.error(
  'This is Node.js ' +
    process.versions.node +
    ', and the service needs ' +
    wanted.join(', ') +
    '. With nvm, run: nvm install',
);
process.exit(1);
