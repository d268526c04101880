import { powerMonitor, powerSaveBlocker } from 'electron';
import type { PowerSource } from './power';

/** The machine's own power, by Electron. */
export const systemPower: PowerSource = {
  onBattery: () => powerMonitor.isOnBatteryPower(),
  hold: () => {
    const blocker = powerSaveBlocker.start('prevent-app-suspension');
    return () => powerSaveBlocker.stop(blocker);
  },
  subscribe: (listeners) => {
    powerMonitor.on('suspend', listeners.suspend);
    powerMonitor.on('resume', listeners.resume);
    powerMonitor.on('on-battery', listeners.battery);
    powerMonitor.on('on-ac', listeners.mains);
    return () => {
      powerMonitor.off('suspend', listeners.suspend);
      powerMonitor.off('resume', listeners.resume);
      powerMonitor.off('on-battery', listeners.battery);
      powerMonitor.off('on-ac', listeners.mains);
    };
  },
};
