print("opsh")
