// The smallest window: one page, one word. Prints the milliseconds from spawn to a finished load.
const { app, BrowserWindow } = require('electron');

app.whenReady().then(async () => {
  const window = new BrowserWindow({ width: 1440, height: 900, show: true });
  await window.loadURL('data:text/html,<h1>hello</h1>');
  process.stdout.write(`usable ${Math.round(process.uptime() * 1000)}\n`);
});
app.on('window-all-closed', () => app.quit());
